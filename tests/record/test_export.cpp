// Writers of other programs' formats, where Python's tests (tests/python/test_export.py) do not reach: periodic cells,
// names that need quotes, coordinates far from the origin, kinds of wall, failing disks.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <numbers>
#include <sstream>

#include "record/demo_world.hpp"
#include "record/scratch.hpp"
#include "scree/base/error.hpp"
#include "scree/record/frame_csv.hpp"
#include "scree/record/lammps_dump.hpp"
#include "scree/record/part_file.hpp"
#include "scree/record/view.hpp"
#include "scree/record/vtk.hpp"
#include "scree/record/wall_outline.hpp"

namespace scree {
namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

double area(const Outline& outline) { return mass_properties(outline).area; }

TEST(Export, PartnersAreCountedOnce) {
  Frame f;
  f.id = {3, 7, 9};
  const auto touch = [&](std::uint32_t a, std::uint32_t b, int wall = -1) {
    FrameContact c;
    c.a = a, c.b = b, c.wall = wall, c.normal_force = 1;
    f.contacts.push_back(c);
  };
  touch(3, 7), touch(3, 7), touch(3, 9);  // two points of one pair
  touch(no_body, 7, 0), touch(no_body, 7, 0), touch(no_body, 7, 1);
  EXPECT_EQ(grain_partners(f), (std::vector<std::int32_t>{2, 3, 1}));
  EXPECT_EQ(grain_forces(f), (std::vector<double>{3, 5, 1}));
}

TEST(Export, LinesStayWithinThePeriod) {
  Periodic cell{true, false, {{0, 0}, {10, 4}}};
  EXPECT_EQ(nearest_image(cell, {9.5, 1}, {0.2, 1}), (Vec2d{-0.5, 1}));
  EXPECT_EQ(nearest_image(cell, {0.2, 3.9}, {9.9, 0.1}), (Vec2d{10.2, 3.9}));
}

TEST(Export, WallsAtTheirTrueThickness) {
  Wall wall;
  EXPECT_TRUE(wall_outline(wall).loops.empty());  // a half-plane has no end
  wall.kind = WallKind::circle_outside;
  wall.radius = 2;
  EXPECT_NEAR(area(wall_outline(wall)), 4 * std::numbers::pi, 2e-3);  // 256 sides
  wall.kind = WallKind::circle_inside;
  EXPECT_NEAR(signed_area(wall_outline(wall).loops.at(0)), -4 * std::numbers::pi, 2e-3);
  wall.kind = WallKind::polyline;
  wall.radius = 0.25;
  wall.points = {{100, 0}, {104, 0}, {104, 3}};
  // Two bars and the round ends; at the corner one quarter disc more and one square of the radius less.
  const double r = 0.25, ends = std::numbers::pi * r * r, corner = (0.25 * std::numbers::pi - 1) * r * r;
  EXPECT_NEAR(area(wall_outline(wall)), 2 * r * 7 + ends + corner, 1e-4);
  wall.closed = true;  // a triangle 3-4-5: a band with a hole
  const Outline band = wall_outline(wall);
  ASSERT_EQ(band.loops.size(), 2u);
  EXPECT_GT(area(band), 2 * r * 11);
  EXPECT_LT(area(band), 2 * r * 12 + ends);
}

TEST(Export, CsvQuotesNames) {
  World world = demo::drum(2);
  world.groups = {"a, \"b\"", "frame"};
  world.types[static_cast<std::size_t>(world.bodies.type[0])].name = "x,y";
  const Statics statics = statics_of(world);
  const std::string lines = grains_csv().lines(statics, frame_of(world), 7);
  EXPECT_TRUE(lines.starts_with("7,1.25,0,\"x,y\",\"a, \"\"b\"\"\",moving,-0.5,-0.5,")) << lines;
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 4);
}

TEST(Export, LammpsBoxIsThePeriodicCell) {
  World world = demo::drum(2);
  world.periodic = {true, false, {{-3, 0}, {3, 0}}};
  const std::string text = lammps_frame(statics_of(world), frame_of(world), {{-1, -0.25}, {1, 0.5}});
  std::istringstream in(text);
  std::string line;
  std::vector<std::string> lines;
  while (std::getline(in, line)) lines.push_back(line);
  EXPECT_EQ(lines[0], "ITEM: TIME");
  EXPECT_EQ(lines[3], "1250");
  EXPECT_EQ(lines[6], "ITEM: BOX BOUNDS pp ff pp");
  EXPECT_EQ(lines[7], "-3 3");
  EXPECT_EQ(lines[8], "-1 1");  // the view, widened by grains of radius 0.5 at -0.5 and 0.5
  EXPECT_EQ(lammps_header("SI: m, kg, s"), "ITEM: UNITS\nsi\n");
  EXPECT_EQ(lammps_header("mm"), "ITEM: UNITS\nlj\n");
}

TEST(Export, FarFromTheOriginCoordinatesAreDouble) {
  World world = demo::drum(2);
  const auto points_type = [&] {
    const Statics statics = statics_of(world);
    const std::string text = VtkWriter(statics, {{-1, -1}, {1, 1}}).text(VtkPart::centres, frame_of(world));
    const std::size_t at = text.find("<Points>");
    return text.substr(text.find("type=\"", at) + 6, 7);
  };
  EXPECT_EQ(points_type(), "Float32");
  world.bodies.x[0] = {1e5, 0};  // grains of radius 0.5: single precision tells 0.008 there
  EXPECT_EQ(points_type(), "Float64");
}

TEST(Export, AnEmptyFrameIsAFile) {
  World world = demo::empty_world();
  demo::add_type(world, "ring", 1);
  const Statics statics = statics_of(world);
  const VtkWriter writer(statics, {{0, 0}, {1, 1}});
  for (const VtkPart part : {VtkPart::grains, VtkPart::outlines, VtkPart::centres, VtkPart::contacts, VtkPart::walls}) {
    const std::string text = writer.text(part, frame_of(world));
    EXPECT_NE(text.find("NumberOfPoints=\"0\""), std::string::npos);
    EXPECT_TRUE(text.ends_with("</VTKFile>\n"));
  }
  EXPECT_EQ(grains_csv().lines(statics, frame_of(world), 0), "");
}

TEST(Export, RemovedWallsAreNotDrawn) {
  World world = demo::drum(2);
  world.walls[0].active = false;
  const Statics statics = statics_of(world);
  const std::string text = VtkWriter(statics, {{-1, -1}, {1, 1}}).text(VtkPart::walls, frame_of(world));
  EXPECT_NE(text.find("NumberOfLines=\"0\""), std::string::npos);
}

TEST(PartFile, IsWholeOrNotThere) {
  const Scratch folder;
  const auto file = folder / "a.txt";
  {
    PartText text(file);
    text.put("half");
    EXPECT_FALSE(std::filesystem::exists(file));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));  // given up
  write_atomic(file, "old");
  {
    PartText text(file);
    text.put("new");
    EXPECT_EQ(text_of(file), "old");
    text.commit();
  }
  EXPECT_EQ(text_of(file), "new");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
  try {
    write_atomic("/nonexistent/a.txt", "x");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::system);
    EXPECT_NE(std::string(e.what()).find("No such file"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace scree
