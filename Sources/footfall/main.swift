print("footfall")
