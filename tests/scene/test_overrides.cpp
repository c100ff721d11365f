// --set, and the text a run keeps.
#include <gtest/gtest.h>

#include "scene_text.hpp"

namespace scree::test {

namespace {

const std::string walled = small_scene +
                           "[[walls]]\nkind = \"half-plane\"\nname = \"floor\"\n"
                           "[[walls]]\nkind = \"half-plane\"\nname = \"left\"\nnormal = [1, 0]\npoint = [-1, 0]\n";

TEST(Overrides, ReachTablesListsAndNewKeys) {
  const Scene s = read(
      walled, {"grains.disc.radius=0.2", "walls[0].point=[0, -1]", "walls[left].point=[-3, 0]",
               "materials.default.friction=0.25", "maps.kind=exact", "bodies[0].position[1]=5", "title=a word or two"});
  EXPECT_DOUBLE_EQ(s.world.types[0].radius, 0.2);
  EXPECT_EQ(s.world.walls[0].pose.x, (Vec2d{0, -1}));
  EXPECT_EQ(s.world.walls[1].pose.x, (Vec2d{-3, 0}));
  EXPECT_DOUBLE_EQ(s.world.materials[0].friction, 0.25);
  EXPECT_EQ(s.maps.kind, "exact");
  EXPECT_EQ(s.world.bodies.x[0], (Vec2d{0, 5}));
  EXPECT_EQ(s.title, "a word or two");
  EXPECT_EQ(s.overrides.size(), 7u);
}

TEST(Overrides, KnowTheNamesOfEntriesWithoutOne) {
  const std::string text = small_scene + "[[walls]]\nkind = \"half-plane\"\n[[walls]]\nkind = \"half-plane\"\n";
  EXPECT_EQ(read(text, {"walls[wall2].point=[0, -1]"}).world.walls[1].pose.x, (Vec2d{0, -1}));
  EXPECT_NE(error_of(text, {"walls[wall3].point=[0, -1]"}).find("known: wall1, wall2"), std::string::npos);
}

TEST(Overrides, LaterOnesWin) {
  EXPECT_DOUBLE_EQ(read(small_scene, {"run.duration=3", "run.duration=4"}).run.duration, 4);
}

struct BadOverride {
  std::string text;
  std::string word;
};

TEST(Overrides, WrongOnesAreRefusedByName) {
  const std::vector<BadOverride> bad = {
      {"friction", "is not key=value"},
      {"=3", "is not key=value"},
      {"materials.defualt.friction=1", "did you mean 'default'"},
      {"materials.default.frictoin=1", "did you mean 'friction'"},
      {"stpe.dt=1", "did you mean 'step'"},
      {"walls[2].point=[0,0]", "there are 2"},
      {"walls[flor].point=[0,0]", "did you mean 'floor'"},
      {"walls.point=[0,0]", "needs an entry"},
      {"motions[0].omega=1", "no list \"motions\""},
      {"run[0]=1", "does not follow a list"},
      {"run.duration.x=1", "not inside a table"},
      {"walls[0=1", "not well formed"},
      {"run..duration=1", "not well formed"},
      {"run.duration=[1", "not TOML"},
      {"run.duration=long", "must be a number"},
      {"step.dt=-1", "> 0"},
  };
  for (const BadOverride& b : bad) {
    const std::string message = error_of(walled, {b.text});
    EXPECT_NE(message.find(b.word), std::string::npos) << b.text << ": " << message;
    EXPECT_TRUE(message.starts_with("--set ") || message.starts_with("scene.toml:")) << message;
  }
}

TEST(Overrides, ABadValueIsBlamedOnSetNotOnALine) {
  EXPECT_TRUE(error_of(walled, {"materials.default.friction=-1"}).starts_with("--set materials.default.friction: "));
}

TEST(Overrides, OnlyWhatIsSetIsBlamedOnSet) {
  EXPECT_TRUE(error_of("").starts_with("scene.toml: run.duration: is required")) << error_of("");
  const std::string partly = error_of("", {"run.frames=0.1"});
  EXPECT_TRUE(partly.starts_with("scene.toml: run.duration: is required")) << partly;
  const std::string named = error_of(walled, {"walls[left].point=[0, inf]"});
  EXPECT_TRUE(named.starts_with("--set walls[1].point[1]: ")) << named;
}

void expect_same(const Scene& a, const Scene& b) {
  EXPECT_EQ(a.title, b.title);
  EXPECT_EQ(a.step.dt, b.step.dt);
  EXPECT_EQ(a.run.frame_interval, b.run.frame_interval);
  ASSERT_EQ(a.world.types.size(), b.world.types.size());
  for (std::size_t i = 0; i < a.world.types.size(); ++i) {
    EXPECT_EQ(a.world.types[i].name, b.world.types[i].name);
    EXPECT_EQ(a.world.types[i].radius, b.world.types[i].radius);
    EXPECT_EQ(a.world.types[i].mass, b.world.types[i].mass);
  }
  EXPECT_EQ(a.world.materials[0].stiffness, b.world.materials[0].stiffness);
  EXPECT_EQ(a.world.bodies.x, b.world.bodies.x);
  EXPECT_EQ(a.world.walls.size(), b.world.walls.size());
}

TEST(SceneText, WithoutOverridesItIsTheUsersOwn) { EXPECT_EQ(read(walled).text, walled); }

TEST(SceneText, WithOverridesItReadsBackToTheSameScene) {
  const Scene s =
      read(walled +
               "[grains.'a b']\nshape = \"hash\"\nradius = 0.1\n[[insert]]\nmethod = \"list\"\n"
               "list = [{grain = \"disc\", position = [0.1, 7]}]\n",
           {"grains.disc.radius=0.3333333333333333", "title=\"quote \\\" and \\\\ slash\"", "run.duration=1e-3"});
  const Scene again = read(s.text);
  expect_same(s, again);
  EXPECT_EQ(again.text, s.text);
  EXPECT_EQ(s.world.insertions[0].list.size(), 1u);
  EXPECT_NE(s.text.find("0.1"), std::string::npos);
  EXPECT_EQ(s.text.find("0.10000000000000001"), std::string::npos);
}

}  // namespace

}  // namespace scree::test
