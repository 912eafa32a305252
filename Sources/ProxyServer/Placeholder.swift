// ProxyServer: placeholder, replaced by its first file.
