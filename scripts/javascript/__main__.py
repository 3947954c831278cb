"""The end of `scripts/openapi`: writes all of them."""

from scripts.javascript import files

if __name__ == "__main__":
    files.write()
