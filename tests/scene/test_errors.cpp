// Malformed scenes: each must be refused with the line, the field and the word that helps.
#include <gtest/gtest.h>

#include "scene_text.hpp"
#include "scree/base/rng.hpp"

namespace scree::test {

namespace {

struct Bad {
  std::string name;
  std::string text;  // appended to small_scene unless it starts with '!'
  std::string where;
  std::string word;

  friend void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.name; }
};

std::string repeated(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

// small_scene has 9 lines: text appended to it begins at line 10.
const std::vector<Bad> bad_scenes = {
    // TOML itself
    {"not_toml", "[walls\n", "scene.toml:10:7", "not valid TOML"},
    {"duplicate_table", "[run]\nduration=2\n", "scene.toml:10:", "not valid TOML"},
    {"duplicate_key", "[materials.a]\nfriction = 0.1\nfriction = 0.2\n", "scene.toml:12:", "stands twice"},
    {"decimal_comma", "[materials.a]\nfriction = 0,25\n", "scene.toml:11:", "decimal point: 0.25"},
    {"no_value", "[materials.a]\nfriction =\n", "scene.toml:11:", "a value after '='"},
    {"bare_text", "title = hello\n", "scene.toml:10:9", "text needs quotes"},
    {"open_long_text", "title = \"" + repeated("a", 300) + "\n", "scene.toml:10:310", "ends with the quote"},
    {"open_text", "title = \"hello\n", "scene.toml:10:15", "ends with the quote"},
    {"open_literal", "title = 'hello\n", "scene.toml:10:15", "ends with the quote"},
    {"open_section", "[run\nseed = 3\n", "scene.toml:10:5", "a section is [name]"},
    {"open_list", "[gravity]\ng = [0, 1\n[run]\n", "scene.toml:12:1", "ends with ]"},
    {"open_braces", "shapes.a = { recipe = \"disc\"\n", "scene.toml:10:", "ends with }"},
    {"no_equals", "[materials.a]\nfriction 3\n", "scene.toml:11:10", "`key = value`"},
    {"two_values", "[materials.a]\nfriction = 3 4\n", "scene.toml:11:14", "one value a line"},
    {"bare_point", "[materials.a]\nfriction = .5\n", "scene.toml:11:12", "both sides of its point"},
    {"bare_exponent", "[materials.a]\nfriction = 1e\n", "scene.toml:11:14", "after its e"},
    {"leading_zero", "[materials.a]\nfriction = 03\n", "scene.toml:11:14", "zeros in front"},
    // keys
    {"unknown_section", "[materialz.a]\n", "scene.toml:10:1: materialz", "did you mean 'materials'"},
    {"unknown_key", "[materials.a]\nfrictoin = 0.2\n", "scene.toml:11:12: materials.a.frictoin", "'friction'"},
    {"unknown_lists_known", "[gravity]\nfoo = 1\n", "scene.toml:11:7: gravity.foo", "known: g, magnitude"},
    {"misplaced_key", "[[walls]]\nkind = \"half-plane\"\nradius = 2\n", "scene.toml:12:10: walls[0].radius",
     "only to: circle-inside, circle-outside"},
    {"missing_key", "[[walls]]\nkind = \"circle-inside\"\n", "scene.toml:10:1: walls[0].radius", "is required"},
    {"missing_selector", "[[walls]]\nname = \"a\"\n", "scene.toml:10:1: walls[0].kind", "half-plane"},
    {"misspelt_selector", "[[walls]]\nkid = \"box\"\n", "scene.toml:11:7: walls[0].kid", "'kind'"},
    {"missing_duration", "![run]\nseed = 3\n", "scene.toml:1:1: run.duration", "is required"},
    {"table_not_list", "[walls]\nkind = \"box\"\n", "scene.toml:10:1: walls", "[[walls]]"},
    {"list_not_table", "[[gravity]]\n", "scene.toml:10:", "must be a table"},
    {"material_not_table", "[materials]\nfriction = 0.3\n", "scene.toml:11:12: materials.friction",
     "[materials.some_name]"},
    // types
    {"text_for_number", "[materials.a]\nfriction = \"high\"\n", "scene.toml:11:12: materials.a.friction",
     "must be a number"},
    {"number_with_unit", "[materials.a]\ndensity = \"1500 kg/m3\"\n", "scene.toml:11:11: materials.a.density",
     "without quotes or unit: density = 1500 (density: "},
    {"number_for_vector", "[gravity]\ng = -9.81\n", "scene.toml:11:5: gravity.g",
     "not -9.81\n  remedy: two numbers in brackets, e.g. g = [0, -9.81]"},
    {"vector_for_number", "[materials.a]\nfriction = [1, 2]\n", "materials.a.friction", "without brackets"},
    {"text_for_bool", "[watchdog]\nenabled = \"yes\"\n", "watchdog.enabled", "enabled = true or"},
    {"number_for_text", "[[walls]]\nkind = 3\n", "scene.toml:11:8: walls[0].kind", "text in quotes"},
    {"number_for_bool", "[watchdog]\nenabled = 1\n", "scene.toml:11:11: watchdog.enabled", "true or false"},
    {"float_for_integer", "[maps]\nnodes = 96.5\n", "scene.toml:11:9: maps.nodes", "whole number"},
    {"short_vector", "[gravity]\ng = [1]\n", "scene.toml:11:5: gravity.g", "[x, y]"},
    {"text_in_vector", "[gravity]\ng = [0, \"a\"]\n", "scene.toml:11:9: gravity.g[1]", "must be a number"},
    {"wrong_word", "[step]\nlaw = 1\n", "scene.toml:10:", "not valid TOML"},
    {"degrees", "[gravity]\nmagnitude = 1\nangle = \"16 degrees\"\n", "scene.toml:12:9: gravity.angle", "16 deg"},
    {"mixture_number", "[[insert]]\nmethod=\"poisson\"\nx=[0,1]\ny=[0,1]\nmixture = 2\n",
     "scene.toml:14:11: insert[0].mixture", "sand = 0.7"},
    // ranges
    {"negative_friction", "[materials.a]\nfriction = -0.1\n", "scene.toml:11:12: materials.a.friction",
     "must be 0 to 1e+09, not -0.1\n  remedy: from 0 to 1e+09 (friction: "},
    {"zero_density", "[materials.a]\ndensity = 0\n", "scene.toml:11:11: materials.a.density", "> 0"},
    {"no_mass", "[materials.default]\ndensity = 1e-320\n", "scene.toml:6:10: grains.disc.radius", "a mass of"},
    {"far_apart", "[grains.star]\nradius = 1e-9\n", "scene.toml:11:10: grains.star.radius", "too far apart"},
    {"restitution", "[materials.a]\nrestitution = 1.5\n", "scene.toml:11:15: materials.a.restitution", "0 to 1"},
    {"nan", "[materials.a]\nfriction = nan\n", "scene.toml:11:12: materials.a.friction", "a finite number, not nan"},
    {"infinite", "[[bodies]]\ngrain=\"disc\"\nposition=[inf, 0]\n", "scene.toml:12:11: bodies[1].position[0]",
     "finite"},
    {"reversed_interval", "[periodic]\nx = [2, 1]\n", "scene.toml:11:5: periodic.x", "the lower end first: [1, 2]"},
    {"zero_normal", "[[walls]]\nkind=\"half-plane\"\nnormal=[0,0]\n", "scene.toml:12:8: walls[0].normal", "zero"},
    {"too_many_frames", "!run = {duration = 1, frames = 1e-9}\n", "scene.toml:1:31: run.frames", "records"},
    // words
    {"unknown_kind", "[[walls]]\nkind = \"halfplane\"\n", "scene.toml:11:8: walls[0].kind",
     "did you mean 'half-plane'"},
    {"unknown_integrator", "!run={duration=1}\nstep={dt=1e-3, integrator=\"euler\"}\n", "step.integrator",
     "symplectic-euler"},
    {"unknown_map_kind", "[maps]\nkind = \"tabel\"\n", "scene.toml:11:8: maps.kind", "did you mean 'table'"},
    {"unknown_colour", "[render]\nbackground = \"bleu\"\n", "scene.toml:11:14: render.background", "#rrggbb"},
    // references
    {"unknown_grain", "[[bodies]]\ngrain=\"disk\"\nposition=[0,0]\n", "scene.toml:11:7: bodies[1].grain", "'disc'"},
    {"unknown_material", "[grains.box]\nradius=1\nmaterial=\"stone\"\n", "scene.toml:12:10: grains.box.material",
     "known: default"},
    {"no_default_material", "[materials.a]\n[materials.b]\n", "scene.toml:5:1: grains.disc.material", "\"default\""},
    {"unknown_shape", "[grains.pebble]\nradius=1\nshape=\"hsah\"\n", "scene.toml:12:7: grains.pebble.shape", "'hash'"},
    {"unknown_wall", "[[motions]]\nkind=\"constant\"\nvelocity=[1,0]\nwalls=[\"floor\"]\n",
     "scene.toml:13:7: motions[0].walls", "unknown wall"},
    {"unknown_group", "[[events]]\ntime=1\naction=\"remove-group\"\ntargets=[\"drum\"]\n",
     "scene.toml:13:9: events[0].targets", "known: grains"},
    {"group_without_kinematic", "[[motions]]\nkind=\"rotation\"\nomega=1\ngroups=[\"grains\"]\n",
     "scene.toml:13:8: motions[0].groups", "kinematic"},
    {"unknown_mixture_grain", "[[insert]]\nmethod=\"poisson\"\nx=[0,1]\ny=[0,1]\nmixture={sand=1}\n",
     "insert[0].mixture", "unknown grain \"sand\""},
    // things that do not go together
    {"both_auto", "!run={duration=1}\n[grains.disc]\nradius=1\n[materials.a]\nfriction=0.1\n",
     "scene.toml:4:1: materials.a.stiffness", "one of the two"},
    {"two_dampings", "[materials.a]\nrestitution=0.5\nnormal_damping=1\n", "materials.a.normal_damping",
     "only one of: restitution, normal_damping"},
    {"two_gravities", "[gravity]\ng=[0,-1]\nmagnitude=1\n", "scene.toml:12:11: gravity.magnitude", "only one of"},
    {"no_size", "[grains.box]\n", "scene.toml:10:1: grains.box.radius", "radius, scale"},
    {"two_sizes", "[grains.box]\nradius=1\nscale=2\n", "scene.toml:12:7: grains.box.scale", "only one of"},
    {"two_sources", "[shapes.a]\nrecipe=\"box\"\npoints=[[0,0],[1,0],[0,1]]\n", "shapes.a.points", "only one of"},
    {"no_source", "[shapes.a]\ntolerance=1e-3\n", "scene.toml:10:1: shapes.a.recipe", "recipe, glyph, svg"},
    {"sines_with_points", "[shapes.a]\npoints=[[0,0],[1,0],[0,1]]\nsines=[1]\n", "shapes.a.sines", "does not go with"},
    {"sines_alone", "[shapes.a]\nsines=[1]\n", "scene.toml:10:1: shapes.a.recipe", "cosines"},
    {"negative_star", "[shapes.a]\ncosines=[1,1.5]\n", "scene.toml:11:9: shapes.a.cosines", "180 degrees"},
    {"few_radii", "[shapes.a]\nradii=[1,1,1]\n", "scene.toml:11:7: shapes.a.radii", "give 4 to"},
    {"fit_of_a_series", "[shapes.a]\ncosines=[1]\nfourier_order=3\n", "shapes.a.fourier_order", "does not go with"},
    {"fit_of_no_star", "[shapes.a]\nrecipe=\"u\"\nfourier_order=3\n", "shapes.a.recipe", "not star-shaped"},
    {"star_nodes", "[maps]\nkind=\"star\"\nstar_nodes=3\n", "scene.toml:12:12: maps.star_nodes", "8 to 10000"},
    {"font_with_points", "[shapes.a]\npoints=[[0,0],[1,0],[0,1]]\nfont=\"x\"\n", "shapes.a.font", "does not go with"},
    {"wall_name_taken", "[[walls]]\nkind=\"half-plane\"\nname=\"a\"\n[[walls]]\nkind=\"half-plane\"\nname=\"a\"\n",
     "scene.toml:15:6: walls[1].name", "is taken"},
    {"two_motions",
     "[[walls]]\nkind=\"half-plane\"\nname=\"a\"\n[[motions]]\nkind=\"rotation\"\nomega=1\nwalls=\"a\"\n[[motions]]\n"
     "kind=\"constant\"\nvelocity=[0,1]\nwalls=\"a\"\n",
     "motions[1].walls", "at the same time"},
    {"asleep_on_a_gpu",
     "!run={duration=1}\n[grains.box]\nradius=1\n[[bodies]]\ngrain=\"box\"\nposition=[0,0]\n[[bodies]]\ngrain="
     "\"box\"\nposition=[0,9]\n[step]\nsolver=\"implicit\"\nsleep=0.5\ndevice=\"cuda\"\n",
     "scene.toml:12:7: step.sleep", "do not sleep on a GPU"},
    {"large_steps_in_double",
     "!run={duration=1}\n[grains.box]\nradius=1\n[[bodies]]\ngrain=\"box\"\nposition=[0,0]\n[[bodies]]\ngrain="
     "\"box\"\nposition=[0,9]\n[step]\nsolver=\"implicit\"\nprecision=\"double\"\ndevice=\"cuda\"\n",
     "scene.toml:12:11: step.precision", "leave it out"},
    {"nets_for_large_steps",
     "!run={duration=1}\n[grains.box]\nradius=1\n[[bodies]]\ngrain=\"box\"\nposition=[0,0]\n[[bodies]]\ngrain="
     "\"box\"\nposition=[0,9]\n[step]\nsolver=\"implicit\"\ndevice=\"cuda\"\n[maps]\nkind="
     "\"neural\"\n",
     "scene.toml:14:6: maps.kind", "use kind = \"table\""},
    {"unstable", "[materials.default]\nstiffness=1e9\n", "step.dt", "is unstable"},
    {"fixed_velocity", "[[bodies]]\ngrain=\"disc\"\nposition=[3,0]\nkind=\"fixed\"\nvelocity=[1,0]\n",
     "scene.toml:14:10: bodies[1].velocity", "only for moving"},
    {"narrow_box", "[[insert]]\nmethod=\"poisson\"\ngrain=\"disc\"\nx=[0,0.1]\ny=[0,1]\n",
     "scene.toml:13:3: insert[0].x", "narrower"},
    {"narrow_disc", "[[insert]]\nmethod=\"poisson\"\ngrain=\"disc\"\nx=[0,1]\ny=[0,1]\ndisc=0.05\n",
     "scene.toml:15:6: insert[0].disc", "the largest grain"},
    {"too_many_on_lattice", "[[insert]]\nmethod=\"lattice\"\ngrain=\"disc\"\nx=[0,1]\ny=[0,1]\ncount=26\n",
     "scene.toml:15:7: insert[0].count", "has 25 sites"},
    {"fine_lattice", "[[insert]]\nmethod=\"lattice\"\ngrain=\"disc\"\nx=[0,1]\ny=[0,1]\nspacing=1e-9\n",
     "scene.toml:15:9: insert[0].spacing", "e+17 sites"},
    {"wide_lattice", "[[insert]]\nmethod=\"lattice\"\ngrain=\"disc\"\nx=[0,1e6]\ny=[0,1e6]\ncount=1\n", "insert[0].x",
     "smaller box"},
    {"wide_poisson", "[[insert]]\nmethod=\"poisson\"\ngrain=\"disc\"\nx=[0,1e4]\ny=[0,1e4]\n",
     "scene.toml:13:3: insert[0].x", "give count"},
    {"many_poisson", "[[insert]]\nmethod=\"poisson\"\ngrain=\"disc\"\nx=[0,1e4]\ny=[0,1e4]\ncount=10000001\n",
     "scene.toml:15:7: insert[0].count", "lower count"},
    {"many_types", "[grains.box]\nradius={distribution=\"classes\",radii=[" + repeated("1,", 200) + "]}\n",
     "grains.disc.radius", "201 types"},
    {"pair_twice",
     "[materials.default]\n[materials.b]\n[[pairs]]\nmaterials=[\"default\",\"b\"]\n[[pairs]]\n"
     "materials=[\"b\",\"default\"]\n",
     "scene.toml:15:11: pairs[1].materials", "there already"},
    {"side_twice", "[[walls]]\nkind=\"box\"\nx=[0,1]\ny=[0,1]\nsides=[\"left\",\"left\"]\n",
     "scene.toml:14:7: walls[0].sides", "twice"},
    {"few_nodes", "[maps]\nnodes=15\n", "scene.toml:11:7: maps.nodes", "16 to 1024"},
    {"bad_svg", "[shapes.a]\nsvg=\"" + std::string(SCREE_SOURCE_DIR "/README.md") + "\"\n",
     "scene.toml:11:5: shapes.a.svg", "remedy"},
    {"not_a_star", "[maps]\nkind = \"star\"\n[grains.u]\nradius = 0.1\n[[bodies]]\ngrain = \"u\"\nposition = [3, 3]\n",
     "scene.toml:11:8: maps.kind", "not star-shaped"},
    {"endless_key", "a" + repeated(".a", 100000) + " = 1\n", "scene.toml:10:1", "more than 64 parts"},
    {"narrow_period", "[periodic]\nx=[0,0.3]\n", "scene.toml:11:3: periodic.x", "narrower"},
    {"outside_bounds", "[bounds]\nx=[2,3]\n", "scene.toml:11:3: bounds.x", "body 0 starts outside"},
    {"late_keyframe",
     "[[walls]]\nkind=\"half-plane\"\nname=\"a\"\n[[motions]]\nkind=\"keyframes\"\nwalls=\"a\"\nkeyframes=[{time=1},"
     "{time=0.5}]\n",
     "motions[0].keyframes[1].time", "in order of time"},
    {"array_without_count", "[[arrays]]\nalong=\"ring\"\ngrain=\"disc\"\nradius=2\n", "arrays[0].count",
     "count, spacing"},
    {"class_needed",
     "[grains.box]\nradius={distribution=\"uniform\",mean=1,spread=0.5,classes=3}\n[[bodies]]\ngrain=\"box\"\n"
     "position=[5,5]\n",
     "bodies[1].grain", "box:3"},
    {"wide_normal", "[grains.box]\nradius={distribution=\"normal\",mean=1,spread=0.7}\n", "grains.box.radius.spread",
     "smaller spread"},
    // measures
    {"unknown_measure", "[[measures]]\nkind=\"repos\"\n", "scene.toml:11:6: measures[0].kind", "'repose'"},
    {"measure_field", "[[measures]]\nkind=\"repose\"\nhold=1\n", "scene.toml:12:6: measures[0].hold", "clog"},
    {"measure_twice", "[[measures]]\nkind=\"stress\"\n[[measures]]\nkind=\"stress\"\n", "measures[1].name", "is taken"},
    {"measure_file", "[[measures]]\nkind=\"stress\"\nname=\"../a\"\n", "scene.toml:12:6: measures[0].name",
     "not a usable name"},
    {"measure_group", "[[measures]]\nkind=\"stress\"\ngroups=[\"drum\"]\n", "scene.toml:12:8: measures[0].groups",
     "known: grains"},
    {"measure_grain", "[[measures]]\nkind=\"stress\"\ngrains=\"disk\"\n", "scene.toml:12:8: measures[0].grains",
     "'disc'"},
    {"measure_often", "[[measures]]\nkind=\"stress\"\nevery=1e-9\n", "scene.toml:12:7: measures[0].every", "records"},
    {"clog_without_hold", "[[measures]]\nkind=\"clog\"\n", "measures[0].hold", "is required"},
    // shapes that are wrong
    {"self_intersection", "[shapes.bow]\npoints=[[0,0],[1,1],[1,0],[0,1]]\n", "scene.toml:11:8: shapes.bow.points",
     "bow"},
    {"two_points", "[shapes.line]\npoints=[[0,0],[1,1]]\n", "scene.toml:11:8: shapes.line.points", "line"},
    {"recipe_parameter", "[shapes.a]\nrecipe=\"star\"\npionts=5\n", "scene.toml:12:8: shapes.a.pionts", "known"},
    {"recipe_range", "[shapes.a]\nrecipe=\"polygon\"\nn=2\n", "shapes.a.recipe", "n"},
    {"unknown_recipe", "[shapes.a]\nrecipe=\"cercle\"\n", "scene.toml:11:8: shapes.a.recipe", "known: "},
    {"missing_font", "[shapes.a]\nglyph=\"G\"\nfont=\"no such font at all\"\n", "scene.toml:11:7: shapes.a.glyph",
     "no such font at all"},
};

class MalformedScene : public testing::TestWithParam<Bad> {};

TEST_P(MalformedScene, IsRefusedWithPlaceAndWord) {
  const Bad& bad = GetParam();
  const std::string text = bad.text[0] == '!' ? bad.text.substr(1) : small_scene + bad.text;
  const std::string message = error_of(text);
  EXPECT_NE(message.find(bad.where), std::string::npos) << "no '" << bad.where << "' in: " << message;
  EXPECT_NE(message.find(bad.word), std::string::npos) << "no '" << bad.word << "' in: " << message;
}

INSTANTIATE_TEST_SUITE_P(Scenes, MalformedScene, testing::ValuesIn(bad_scenes),
                         [](const auto& tested) { return tested.param.name; });

TEST(SceneFile, AMissingFileIsASystemError) {
  try {
    load_scene("no/such/scene.toml");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::system);
    EXPECT_NE(std::string(e.what()).find("no/such/scene.toml: there is no such file"), std::string::npos);
  }
}

TEST(SceneFile, AMissingFileOfTheSceneIsASystemErrorToo) {
  try {
    read(small_scene + "[shapes.a]\nsvg=\"nowhere.svg\"\n");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::system);
    EXPECT_TRUE(std::string(e.what()).starts_with("scene.toml:11:5: shapes.a.svg: there is no file nowhere.svg"));
  }
}

// Nothing a file can hold may crash the reader: cut a valid scene at every byte.
TEST(SceneFile, EveryPrefixIsReadOrRefused) {
  const std::string text = small_scene + "[[walls]]\nkind = \"box\"\nx = [0, 3]\ny = [0, 3]\n";
  for (std::size_t n = 0; n < text.size(); ++n) {
    try {
      read(text.substr(0, n));
    } catch (const Error& e) { EXPECT_EQ(e.kind(), ErrorKind::input) << e.what(); }
  }
}

// Likewise a scene with a few characters changed: read or refused, nothing else. Digits change into digits at most
// twice a scene, so that no mutation asks for millions of grains.
TEST(SceneFile, RandomChangesAreReadOrRefused) {
  const std::string text = small_scene +
                           "[[walls]]\nkind = \"box\"\nx = [0, 3]\ny = [0, 3]\n[[insert]]\nmethod = \"rain\"\n"
                           "mixture = { disc = 0.5 }\nx = [0, 3]\ny = [0, 3]\nrate = 9\n[[arrays]]\nalong = \"ring\"\n"
                           "grain = \"disc\"\nradius = 4\ncount = 7\nkind = \"kinematic\"\ngroup = \"g\"\n[[motions]]\n"
                           "kind = \"rotation\"\nomega = \"3 deg\"\ngroups = [\"g\"]\n[shapes.a]\n"
                           "points = [[0, 0], [2, 0], [0, 1]]\n";
  const std::string alphabet = "0919-.[]{}\"'= \nab#,_e";
  Rng rng(42);
  int read_count = 0;
  for (int k = 0; k < 3000; ++k) {
    std::string changed = text;
    for (std::uint64_t c = 0; c <= rng.below(2); ++c)
      changed[rng.below(changed.size())] = alphabet[rng.below(alphabet.size())];
    try {
      read(changed);
      ++read_count;
    } catch (const Error& e) { EXPECT_EQ(e.kind(), ErrorKind::input) << e.what() << "\n" << changed; }
  }
  EXPECT_GT(read_count, 30);  // or only the TOML parser would be tested
}

}  // namespace

}  // namespace scree::test
