CaseReader.run()
