*_version = "0.4.30"
