#pragma once
// Where fonts live and how a name asks for one. No font library needed: names are compared with file names.
#include <string>
#include <vector>

namespace scree {

// Folders that exist, in order of search: those in $SCREE_FONTS (separated by ':'), $XDG_DATA_HOME/fonts,
// ~/.local/share/fonts, ~/.fonts, ~/Library/Fonts, and those of the system.
std::vector<std::string> font_folders();
// Font files (.ttf .otf .ttc .pfb .woff) in all folders, sorted within each.
std::vector<std::string> font_files();
// Lower-case letters and digits alone: "DejaVu Sans Bold" and "DejaVuSans-Bold.ttf" without its ending agree.
std::string plain_font_name(const std::string& name);

}  // namespace scree
