#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "record/scratch.hpp"
#include "scree/base/error.hpp"
#include "scree/record/video.hpp"

namespace scree {
namespace {

std::string output_of(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  std::string text;
  for (int c = 0; pipe && (c = std::fgetc(pipe)) != EOF;) text.push_back(static_cast<char>(c));
  if (pipe) pclose(pipe);
  return text;
}

void grey(std::size_t k, Image& image) {
  std::fill(image.pixels.begin(), image.pixels.end(), 0xff000000u | static_cast<std::uint32_t>(k * 0x050505u));
}

TEST(Video, HasAllItsFrames) {
  const Scratch folder;
  std::size_t seen = 0;
  write_video(folder / "v.mp4", 160, 90, 37, grey, {}, 2, [&](std::size_t done) {
    seen = done;
    return true;
  });
  EXPECT_EQ(seen, 37u);
  const std::string said = output_of(
      "ffprobe -v error -count_frames -select_streams v:0 -show_entries "
      "stream=codec_name,width,height,pix_fmt,nb_read_frames -of csv=p=0 " +
      (folder / "v.mp4").string());
  EXPECT_EQ(said, "h264,160,90,yuv420p,37\n");
}

// Frames of a GIF have 256 colours each, of their own.
TEST(Video, GifKeepsFramesAndColours) {
  const Scratch folder;
  VideoSettings settings;
  settings.format = VideoFormat::gif;
  settings.fps = 20;
  write_video(folder / "v.gif", 64, 48, 12, grey, settings, 2);
  const std::string file = (folder / "v.gif").string();
  EXPECT_EQ(output_of("ffprobe -v error -count_frames -select_streams v:0 -show_entries "
                      "stream=codec_name,width,height,r_frame_rate,nb_read_frames -of csv=p=0 " +
                      file),
            "gif,64,48,20/1,12\n");
  const std::string pixels = output_of("ffmpeg -v error -i " + file + " -f rawvideo -pix_fmt gray -");
  ASSERT_EQ(pixels.size(), 12u * 64 * 48);
  for (std::size_t k = 0; k < 12; ++k) EXPECT_EQ(static_cast<unsigned char>(pixels[k * 64 * 48 + 99]), 5 * k) << k;
}

TEST(Video, EndsEarlyWhenAskedTo) {
  const Scratch folder;
  write_video(folder / "v.mp4", 64, 64, 1000, grey, {}, 2, [](std::size_t done) { return done < 5; });
  EXPECT_EQ(output_of("ffprobe -v error -count_frames -select_streams v:0 -show_entries stream=nb_read_frames "
                      "-of csv=p=0 " +
                      (folder / "v.mp4").string()),
            "5\n");
}

TEST(Video, MissingProgramIsExplained) {
  const Scratch folder;
  VideoSettings settings;
  settings.program = "ffmpeg-that-is-not-there";
  try {
    write_video(folder / "v.mp4", 64, 64, 3, grey, settings);
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::system);
    EXPECT_NE(e.remedy().find("install"), std::string::npos);
  }
}

TEST(Video, FailureOfTheEncoderShowsItsWords) {
  VideoSettings settings;
  try {
    write_video("/nonexistent/v.mp4", 640, 360, 200, grey, settings);
    FAIL();
  } catch (const Error& e) { EXPECT_NE(std::string(e.what()).find("No such file"), std::string::npos) << e.what(); }
}

TEST(Video, ErrorsOfTheDrawingReachTheCaller) {
  const Scratch folder;
  const auto draw = [](std::size_t k, Image& image) {
    if (k == 7) throw Error(ErrorKind::input, "frame 7", "is broken");
    grey(k, image);
  };
  EXPECT_THROW(write_video(folder / "v.mp4", 64, 64, 20, draw), Error);
  EXPECT_FALSE(std::filesystem::exists(folder / "v.mp4"));
}

TEST(Video, OddSizesAndNoFramesAreRefused) {
  const Scratch folder;
  EXPECT_THROW(write_video(folder / "v.mp4", 63, 64, 3, grey), Error);
  EXPECT_THROW(write_video(folder / "v.mp4", 64, 64, 0, grey), Error);
}

}  // namespace
}  // namespace scree
