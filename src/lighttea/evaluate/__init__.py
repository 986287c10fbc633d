"""The links of a run and a truth to figures, after the links are written; none enters `align`."""
