"""The collector: takes events over HTTP and writes them into the session's log.

``daemon`` starts and stops it from any verb and is cheap to import; everything that needs aiohttp is
imported in the collector's own process only.
"""
