"""For MkDocs: in the site the notebooks lie beside the pages (scripts/docs puts them there)."""


def on_page_markdown(markdown, **_):
    return markdown.replace("](../python/notebooks/", "](notebooks/")
