#include "scree/shape/glyph.hpp"

#include <ft2build.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"
#include "scree/shape/curve.hpp"
#include "scree/shape/fill.hpp"
#include "scree/shape/font_search.hpp"
#include FT_FREETYPE_H
#include FT_BBOX_H
#include FT_OUTLINE_H

namespace scree {

namespace {

struct CloseLibrary {
  void operator()(FT_Library library) const { FT_Done_FreeType(library); }
};
struct CloseFace {
  void operator()(FT_Face face) const { FT_Done_Face(face); }
};
using Library = std::unique_ptr<FT_LibraryRec_, CloseLibrary>;
using Face = std::unique_ptr<FT_FaceRec_, CloseFace>;

Library open_library() {
  FT_Library library = nullptr;
  if (FT_Init_FreeType(&library) != 0) throw Error(ErrorKind::system, "FreeType", "the library does not start");
  return Library(library);
}

Face open_face(const Library& library, const std::string& file) {
  FT_Face face = nullptr;
  return FT_New_Face(library.get(), file.c_str(), 0, &face) == 0 ? Face(face) : nullptr;
}

// Does the face answer to this plain name: family and style, or the family alone when the style is the plain one?
bool has_name(const Face& face, const std::string& plain) {
  const std::string family = plain_font_name(face->family_name ? face->family_name : "");
  const std::string style = plain_font_name(face->style_name ? face->style_name : "");
  if (plain == family + style) return true;
  return plain == family && (style == "book" || style == "regular" || style == "roman" || style == "normal");
}

std::optional<std::string> font_by_name(const std::string& name) {
  const std::string plain = plain_font_name(name);
  const std::vector<std::string> files = font_files();
  for (const std::string& file : files)
    if (plain_font_name(std::filesystem::path(file).stem().string()) == plain) return file;
  const Library library = open_library();
  for (const std::string& file : files)
    if (const Face face = open_face(library, file); face && has_name(face, plain)) return file;
  return std::nullopt;
}

// The code points of a UTF-8 text; nullopt when it is malformed.
std::optional<std::u32string> decode(const std::string& utf8) {
  std::u32string out;
  for (std::size_t i = 0; i < utf8.size();) {
    const auto lead = static_cast<unsigned char>(utf8[i]);
    const std::size_t length = lead < 0x80 ? 1 : lead >> 5 == 6 ? 2 : lead >> 4 == 14 ? 3 : lead >> 3 == 30 ? 4 : 0;
    if (length == 0 || i + length > utf8.size()) return std::nullopt;
    char32_t code = length == 1 ? lead : lead & (0x7fu >> length);
    for (std::size_t k = 1; k < length; ++k) {
      const auto next = static_cast<unsigned char>(utf8[i + k]);
      if (next >> 6 != 2) return std::nullopt;
      code = code << 6 | (next & 0x3f);
    }
    // Selectors between text and emoji forms, which editors add unasked.
    if (code != 0xfe0e && code != 0xfe0f) out += code;
    i += length;
  }
  return out;
}

char32_t single_character(const std::string& utf8, const std::string& where) {
  const std::optional<std::u32string> codes = decode(utf8);
  if (!codes) throw Error(ErrorKind::input, where, "the character is not valid UTF-8", "save the file as UTF-8");
  if (codes->size() != 1)
    throw Error(ErrorKind::input, where, cat("expected one character, found ", codes->size()),
                "give each character of a text a shape of its own");
  return codes->front();
}

std::string code_name(char32_t code) {
  std::string hex;
  for (int shift = 20; shift >= 0; shift -= 4) hex += "0123456789ABCDEF"[code >> shift & 15];
  return "U+" + hex.substr(std::min(hex.find_first_not_of('0'), std::size_t{2}));
}

// Collects contours, flattened, from FreeType's walk along an outline. In font units.
struct ContourSink {
  std::vector<Loop> loops;
  double tolerance;

  static Vec2d at(const FT_Vector* v) { return {static_cast<double>(v->x), static_cast<double>(v->y)}; }
  static ContourSink& self(void* user) { return *static_cast<ContourSink*>(user); }
  static int move(const FT_Vector* to, void* user) {
    self(user).loops.push_back({at(to)});
    return 0;
  }
  static int line(const FT_Vector* to, void* user) {
    self(user).loops.back().push_back(at(to));
    return 0;
  }
  static int conic(const FT_Vector* control, const FT_Vector* to, void* user) {
    append_quadratic(self(user).loops.back(), at(control), at(to), self(user).tolerance);
    return 0;
  }
  static int cubic(const FT_Vector* c1, const FT_Vector* c2, const FT_Vector* to, void* user) {
    append_cubic(self(user).loops.back(), at(c1), at(c2), at(to), self(user).tolerance);
    return 0;
  }
};

FilledPart contours(FT_Outline& outline, double tolerance) {
  static const FT_Outline_Funcs funcs = {
      ContourSink::move, ContourSink::line, ContourSink::conic, ContourSink::cubic, 0, 0};
  ContourSink sink{{}, tolerance};
  FT_Outline_Decompose(&outline, &funcs, &sink);
  const bool evenodd = (outline.flags & FT_OUTLINE_EVEN_ODD_FILL) != 0;
  return {std::move(sink.loops), evenodd ? FillRule::evenodd : FillRule::nonzero};
}

bool load_glyph(const Face& face, char32_t code) {
  const FT_UInt index = FT_Get_Char_Index(face.get(), code);
  return index != 0 && FT_Load_Glyph(face.get(), index, FT_LOAD_NO_SCALE | FT_LOAD_NO_BITMAP) == 0;
}

// Height of the capital H in font units; of the em square for fonts without letters.
double capital_height(const Face& face) {
  FT_BBox box{};
  if (load_glyph(face, U'H')) FT_Outline_Get_BBox(&face->glyph->outline, &box);
  const auto height = static_cast<double>(box.yMax - box.yMin);
  return height > 0 ? height : static_cast<double>(face->units_per_EM);
}

}  // namespace

std::string find_font(const std::string& font_file_or_name) {
  const std::string font = font_file_or_name.empty() ? default_font : font_file_or_name;
  std::error_code ignored;
  if (std::filesystem::is_regular_file(font, ignored)) return font;
  if (const auto file = font_by_name(font)) return *file;
  const std::vector<std::string> folders = font_folders();
  throw Error(
      ErrorKind::input, cat("font \"", font, "\""),
      cat("there is no such file, and no font of this name in ", folders.empty() ? "any folder" : join(folders)),
      "give the path of a font file, install the font (fonts-dejavu-core holds the default), or name its "
      "folder in SCREE_FONTS");
}

Shape make_glyph(const std::string& utf8_character, const std::string& font_file_or_name, double tolerance,
                 double height) {
  const std::string where = cat("glyph \"", utf8_character, "\"");
  if (!(tolerance >= 1e-6 && tolerance <= 0.1))
    throw Error(ErrorKind::input, where, cat("flattening tolerance ", tolerance, " is out of range"),
                "it is a share of the circumradius; choose 1e-6 to 0.1, usually 1e-3");
  const char32_t code = single_character(utf8_character, where);
  const std::string file = find_font(font_file_or_name);
  const Library library = open_library();
  const Face face = open_face(library, file);
  if (!face)
    throw Error(ErrorKind::input, where, cat(file, " is not a font that FreeType can read"), "use a TTF or OTF");
  const double unit = height / capital_height(face);
  if (!load_glyph(face, code))
    throw Error(ErrorKind::input, where, cat(file, " has no glyph for ", code_name(code)), "choose another font");
  const double extent = largest_extent({contours(face->glyph->outline, 1)});
  const Outline outline = filled_outline({contours(face->glyph->outline, tolerance * extent / 2)});
  if (outline.loops.empty())
    throw Error(ErrorKind::input, where, cat("the glyph of ", code_name(code), " in ", file, " has no outline"),
                "a blank cannot be a grain: choose a visible character of a scalable font");
  return make_shape(utf8_character, transformed(outline, unit, 0, {0, 0}), tolerance);
}

}  // namespace scree
