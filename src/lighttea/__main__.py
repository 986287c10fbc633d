"""`python -m lighttea`."""

from lighttea.cli import main

main()
