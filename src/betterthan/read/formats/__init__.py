"""Every format that can be read; `registry` lists them."""
