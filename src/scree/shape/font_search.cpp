#include "scree/shape/font_search.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <sstream>

namespace scree {

namespace fs = std::filesystem;

std::vector<std::string> font_folders() {
  std::vector<std::string> wanted;
  const auto variable = [](const char* name) { return std::string(std::getenv(name) ? std::getenv(name) : ""); };
  std::istringstream own(variable("SCREE_FONTS"));
  for (std::string folder; std::getline(own, folder, ':');) wanted.push_back(folder);
  if (const std::string data = variable("XDG_DATA_HOME"); !data.empty()) wanted.push_back(data + "/fonts");
  if (const std::string home = variable("HOME"); !home.empty())
    for (const char* folder : {"/.local/share/fonts", "/.fonts", "/Library/Fonts"}) wanted.push_back(home + folder);
  for (const char* folder : {"/usr/local/share/fonts", "/usr/share/fonts", "/Library/Fonts", "/System/Library/Fonts"})
    wanted.emplace_back(folder);
  std::vector<std::string> there;
  std::error_code ignored;
  for (const std::string& folder : wanted)
    if (!folder.empty() && fs::is_directory(folder, ignored)) there.push_back(folder);
  return there;
}

std::vector<std::string> font_files() {
  std::vector<std::string> files;
  for (const std::string& folder : font_folders()) {
    const std::size_t first = files.size();
    std::error_code error;
    fs::recursive_directory_iterator it(folder, fs::directory_options::skip_permission_denied, error);
    for (; !error && it != fs::recursive_directory_iterator(); it.increment(error)) {
      std::string ending = it->path().extension().string();
      std::transform(ending.begin(), ending.end(), ending.begin(),
                     [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      for (const char* known : {".ttf", ".otf", ".ttc", ".pfb", ".woff"})
        if (ending == known) files.push_back(it->path().string());
    }
    std::sort(files.begin() + static_cast<std::ptrdiff_t>(first), files.end());
  }
  return files;
}

std::string plain_font_name(const std::string& name) {
  std::string plain;
  for (const char c : name)
    if (std::isalnum(static_cast<unsigned char>(c)))
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return plain;
}

}  // namespace scree
