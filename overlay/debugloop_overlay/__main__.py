"""``python -m debugloop_overlay``: the panel."""

from debugloop_overlay.main import main

if __name__ == "__main__":
    main(prog_name="debuglog")
