"""First and family names of a country, from the package faker (MIT licence)."""
import importlib


def read(locale):
    """-> first names, family names, plain letters only, sorted"""
    provider = importlib.import_module("faker.providers.person." + locale).Provider

    def table(*wanted):
        out = set()
        for name in wanted:
            out.update(getattr(provider, name, ()))
        return sorted(w for w in out if w.isalpha() and len(w) > 2)
    return table("first_names_male", "first_names_female", "first_names"), table("last_names")
