#include "view_page.hpp"

// The assembler puts the file in as it is; as an array in C++ it would take the compiler minutes.
asm(R"(
    .section .rodata
    .global scree_view_page_begin
    .global scree_view_page_end
scree_view_page_begin:
    .incbin ")" SCREE_VIEW_PAGE R"("
scree_view_page_end:
    .byte 0
    .previous
)");

extern "C" const char scree_view_page_begin[], scree_view_page_end[];

namespace scree::cli {

std::string view_page() { return {scree_view_page_begin, scree_view_page_end}; }

}  // namespace scree::cli
