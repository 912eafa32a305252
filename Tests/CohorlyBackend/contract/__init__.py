"""A server that holds its clients to the Cohorly contract."""
