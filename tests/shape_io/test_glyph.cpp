// Grains from fonts.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "scree/base/error.hpp"
#include "scree/shape/glyph.hpp"

namespace scree {
namespace {

std::string complaint(const std::string& character, const std::string& font = {}) {
  try {
    make_glyph(character, font);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error.what();
  }
  return "accepted";
}

bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Glyph, EveryPrintableAsciiCharacterBuilds) {
  for (char c = '!'; c <= '~'; ++c) {
    const Shape shape = make_glyph(std::string(1, c));
    EXPECT_EQ(shape.name, std::string(1, c));
    EXPECT_GT(shape.thinnest, 0.05) << c;
    EXPECT_GT(shape.area, 0.1) << c;
    double covered = 0;
    for (const ConvexPiece& piece : shape.pieces) covered += signed_area(piece);
    EXPECT_GE(covered, shape.area - 1e-6) << c;
  }
}

TEST(Glyph, KnownGeometry) {
  // The stroke of DejaVu Sans Bold's I: 385 units wide, 1493 high, and H is as high.
  const Shape i = make_glyph("I", "", 1e-3, 2);
  EXPECT_EQ(i.outline.vertex_count(), 4u);
  EXPECT_EQ(i.symmetry, 2);
  EXPECT_NEAR(2 * i.natural_radius, 2 * std::hypot(1493, 385) / 1493, 1e-6);
  EXPECT_NEAR(i.thinnest * i.natural_radius, 2 * 385.0 / 1493, 1e-6);
  EXPECT_EQ(make_glyph("N").symmetry, 2);
  EXPECT_EQ(make_glyph("A").outline.loops.size(), 2u);
  EXPECT_EQ(make_glyph("B").outline.loops.size(), 3u);
  EXPECT_EQ(make_glyph("i").outline.loops.size(), 2u);
  EXPECT_EQ(make_glyph("%").outline.loops.size(), 5u);
}

TEST(Glyph, FinerToleranceConverges) {
  const double fine = make_glyph("S", "", 1e-5).area;
  const double coarse_error = std::abs(make_glyph("S", "", 1e-2).area - fine);
  const double medium_error = std::abs(make_glyph("S", "", 1e-3).area - fine);
  EXPECT_LT(medium_error, 4e-3);
  EXPECT_LT(medium_error, coarse_error / 3);
}

TEST(Glyph, BeyondAscii) {
  for (const char* c : {"\u2665", "\u2665\ufe0f", "\u00df", "\u03a9", "\u0416", "\u2192"})
    EXPECT_GT(make_glyph(c).area, 0.1) << c;
}

TEST(Glyph, FontsByNameAndFile) {
  const std::string file = find_font("DejaVu Sans Bold");
  EXPECT_TRUE(file.ends_with("DejaVuSans-Bold.ttf")) << file;
  EXPECT_TRUE(find_font("dejavu sans").ends_with("DejaVuSans.ttf"));
  EXPECT_EQ(make_glyph("G", file).hash, make_glyph("G").hash);
  EXPECT_NE(make_glyph("G", "DejaVu Sans").hash, make_glyph("G").hash);
}

TEST(Glyph, ErrorsNameCharacterAndFont) {
  EXPECT_TRUE(says(complaint(" "), "has no outline"));
  EXPECT_TRUE(says(complaint("ab"), "expected one character, found 2"));
  EXPECT_TRUE(says(complaint(""), "expected one character, found 0"));
  EXPECT_TRUE(says(complaint("\xff"), "UTF-8"));
  EXPECT_TRUE(says(complaint("\xe2\x99"), "UTF-8"));
  EXPECT_TRUE(says(complaint("\U000130B8"), "no glyph for U+130B8")) << complaint("\U000130B8");
  const std::string missing = complaint("a", "No Such Font");
  EXPECT_TRUE(says(missing, "No Such Font") && says(missing, "/usr/share/fonts")) << missing;
  const std::string file = (std::filesystem::temp_directory_path() / "scree_not_a_font.ttf").string();
  std::ofstream(file) << "plain text";
  EXPECT_TRUE(says(complaint("a", file), "not a font"));
  std::filesystem::remove(file);
  EXPECT_THROW(make_glyph("a", "", 0), Error);
}

}  // namespace
}  // namespace scree
