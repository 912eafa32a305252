import FootfallApp

FootfallCommandLine.main()
