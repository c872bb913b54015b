"""Documents from elsewhere: URLs, crawls and storages, by checked addresses."""
