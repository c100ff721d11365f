#pragma once
// Maps made once and kept on disk, one file each, named by the content of what they were made from. Safe against
// several processes and against being killed: files appear whole, by rename, or not at all.
#include <filesystem>
#include <functional>
#include <memory>

#include "scree/map/map_file.hpp"

namespace scree {

class MapCache {
 public:
  using Builder = std::function<std::unique_ptr<ContactMap>()>;

  // The folder is made when the first map is stored. An empty path means: no cache.
  explicit MapCache(std::filesystem::path folder = default_folder());

  // $SCREE_CACHE, else $XDG_CACHE_HOME/scree, else ~/.cache/scree; empty when none of them is set.
  static std::filesystem::path default_folder();

  // The map from its file, or from `build`, stored for the next time. A damaged or foreign file is reported in one line
  // on stderr and replaced. When the folder cannot be written the map is still returned, and stderr says so once.
  std::shared_ptr<const ContactMap> get(const ShapePair& pair, const MapSettings& settings, const Builder& build,
                                        bool* was_cached = nullptr) const;

  // Where the map of this pair is, or would be, kept.
  std::filesystem::path path_of(const ShapePair& pair, const MapSettings& settings) const;
  const std::filesystem::path& folder() const { return folder_; }

 private:
  void store(const std::filesystem::path& path, const ContactMap& map, const MapIdentity& identity) const;

  std::filesystem::path folder_;
};

}  // namespace scree
