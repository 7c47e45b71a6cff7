"""PDF: pages to lines with boxes, furniture left out, broken words mended, lines to blocks."""
