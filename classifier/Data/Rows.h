// A dataset in memory: for each row the evidence (the numbers that the classifier reads) as bytes, row-major,
// and the row's origin (network, machine, bug).
#pragma once

#include "verify/Evidence/Channels.h"
#include "verify/Evidence/Densities.h"
#include "verify/Evidence/Shard.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace tilerig::classifier {

inline constexpr size_t numCells = verify::evidenceSide * verify::evidenceSide;
inline constexpr size_t channelBytes = verify::numChannels * numCells;
inline constexpr size_t pictureBytes = verify::picturePlanes * numCells;

class Rows {
public:
  using Keep = std::function<bool(const verify::Origin &)>;
  // Reads those rows of the dataset in a folder whose origin `keep` accepts; all rows if `keep` is empty.
  static Result<Rows> read(const std::string &folder, const Keep &keep = {});

  void add(const verify::Evidence &evidence, verify::Origin origin);

  size_t size() const { return origins.size(); }
  std::span<const uint8_t> channels(size_t row) const {
    return {&channelCells[row * channelBytes], channelBytes};
  }
  std::span<const uint8_t> picture(size_t row) const {
    return {&pictureCells[row * pictureBytes], pictureBytes};
  }
  const verify::Features &features(size_t row) const { return allFeatures[row]; }
  const verify::Origin &origin(size_t row) const { return origins[row]; }
  BugClass bugClass(size_t row) const { return origins[row].bugClass; }

private:
  void add(std::span<const uint8_t> channels, std::span<const uint8_t> picture,
           std::span<const float> features, const verify::Origin &origin);

  std::vector<uint8_t> channelCells, pictureCells;
  std::vector<verify::Features> allFeatures;
  std::vector<verify::Origin> origins;
};

} // namespace tilerig::classifier
