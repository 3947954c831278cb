"""`scripts/reference`: writes all of them."""

from scripts.references import pages

if __name__ == "__main__":
    pages.write()
