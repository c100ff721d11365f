#include "scree/record/video.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "scree/base/error.hpp"
#include "scree/base/text.hpp"

extern char** environ;

namespace scree {

namespace {

// Blocks SIGPIPE in this thread while it lives, so that a dead encoder is an error code and not the end of the program.
class NoPipeSignal {
 public:
  NoPipeSignal() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoPipeSignal() {
    const timespec now{};
    while (sigtimedwait(&pipe_, nullptr, &now) > 0) {}
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t pipe_{}, before_{};
};

std::string last_lines(const std::string& text, std::size_t count) {
  std::size_t at = text.find_last_not_of('\n');
  if (at == std::string::npos) return "(it said nothing)";
  const std::size_t end = at + 1;
  for (; count > 0 && at != std::string::npos && at > 0; --count) at = text.rfind('\n', at - 1);
  return text.substr(at == std::string::npos || at == 0 ? 0 : at + 1, end - (at == 0 ? 0 : at + 1));
}

std::vector<std::string> arguments(const std::filesystem::path& file, int width, int height, const VideoSettings& s) {
  std::vector<std::string> words = {
      s.program, "-hide_banner",          "-loglevel", "error",    "-y", "-f",     "rawvideo", "-pix_fmt", "bgr0",
      "-s",      cat(width, "x", height), "-r",        cat(s.fps), "-i", "pipe:0", "-an"};
  // A palette of its own for every frame: one for all could only be found once all have been drawn and kept.
  const std::vector<std::string> gif = {
      "-filter_complex", "split[a][b];[a]palettegen=stats_mode=single[p];[b][p]paletteuse=new=1:dither=none", "-f",
      "gif"};
  const std::vector<std::string> mp4 = {"-c:v",     "libx264", "-preset",   s.preset,     "-crf", cat(s.crf),
                                        "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f",   "mp4"};
  const std::vector<std::string>& encoder = s.format == VideoFormat::gif ? gif : mp4;
  words.insert(words.end(), encoder.begin(), encoder.end());
  words.push_back(file.string());
  return words;
}

}  // namespace

struct VideoWriter::Impl {
  std::filesystem::path file;
  std::string program;
  int width = 0, height = 0;
  VideoFormat format = VideoFormat::mp4;
  pid_t child = -1;
  int to_child = -1, from_child = -1;
  std::thread listener;  // reads what ffmpeg says, so that it never blocks on a full pipe
  std::string said;
  bool finished = false;

  void start(const VideoSettings& settings) {
    std::array<int, 2> in{}, err{};
    if (pipe2(in.data(), O_CLOEXEC) != 0 || pipe2(err.data(), O_CLOEXEC) != 0)
      throw Error(ErrorKind::system, file.string(), cat("cannot open a pipe: ", std::strerror(errno)));
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err[1], STDOUT_FILENO);
    // A Ctrl-C is for us: we close the pipe and ffmpeg finishes the file.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    std::vector<std::string> words = arguments(file, width, height, settings);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    const int status = posix_spawnp(&child, settings.program.c_str(), &actions, &attributes, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    close(in[0]), close(err[1]);
    to_child = in[1], from_child = err[0];
    if (status != 0) {
      child = -1;
      throw Error(ErrorKind::system, file.string(),
                  cat("cannot start the program \"", settings.program, "\": ", std::strerror(status)),
                  "install it (apt-get install ffmpeg), or draw a PNG instead of a video");
    }
    listener = std::thread([this] {
      std::array<char, 4096> buffer{};
      for (ssize_t n = 0; (n = read(from_child, buffer.data(), buffer.size())) != 0;) {
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) break;
        said.append(buffer.data(), static_cast<std::size_t>(n));
      }
    });
  }

  // Closes the pipe and waits. The exit status of the encoder.
  int wait() {
    if (to_child >= 0) close(std::exchange(to_child, -1));
    int status = 0;
    if (child > 0)
      while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    child = -1;
    if (listener.joinable()) listener.join();
    if (from_child >= 0) close(std::exchange(from_child, -1));
    return status;
  }

  [[noreturn]] void fail() {
    wait();
    finished = true;
    std::error_code ignored;
    std::filesystem::remove(file, ignored);
    throw Error(ErrorKind::system, file.string(), cat("ffmpeg failed: ", last_lines(said, 4)),
                cat("check that the folder exists and has room, and that this ffmpeg has the encoder ",
                    format == VideoFormat::gif ? "gif" : "libx264", " (ffmpeg -encoders)"));
  }
};

VideoWriter::VideoWriter(const std::filesystem::path& file, int width, int height, const VideoSettings& settings)
    : impl_(std::make_unique<Impl>()) {
  if (width % 2 != 0 || height % 2 != 0)
    throw Error(ErrorKind::input, "video size", cat(width, "x", height, " is odd"), "use even width and height");
  if (!(settings.fps > 0 && settings.fps <= 1000))
    throw Error(ErrorKind::input, "fps", cat(settings.fps, " frames a second is not possible"), "use 1 to 1000");
  impl_->file = file;
  impl_->width = width;
  impl_->height = height;
  impl_->format = settings.format;
  try {
    impl_->start(settings);
  } catch (...) {
    impl_->wait();
    throw;
  }
}

VideoWriter::~VideoWriter() {
  if (impl_->finished) return;
  if (impl_->child > 0) kill(impl_->child, SIGTERM);
  impl_->wait();
  std::error_code ignored;
  std::filesystem::remove(impl_->file, ignored);
}

void VideoWriter::write(const Image& frame) {
  const NoPipeSignal guard;
  const char* data = reinterpret_cast<const char*>(frame.pixels.data());
  std::size_t left = frame.pixels.size() * sizeof(std::uint32_t);
  while (left > 0) {
    const ssize_t n = ::write(impl_->to_child, data, left);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) impl_->fail();
    data += n;
    left -= static_cast<std::size_t>(n);
  }
}

void VideoWriter::finish() {
  // Where only its last write fails, ffmpeg 5 ends as if all were well; but it speaks of errors alone.
  if (impl_->wait() != 0 || !impl_->said.empty()) impl_->fail();
  impl_->finished = true;
}

}  // namespace scree
