import VisitorID

print("embedder: linked")
