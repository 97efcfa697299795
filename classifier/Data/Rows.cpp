#include "classifier/Data/Rows.h"

namespace tilerig::classifier {

namespace {

template <class T>
std::span<const T> rowOf(const Tensor &tensor, size_t row, size_t length) {
  return tensor.as<T>().subspan(row * length, length);
}

} // namespace

void Rows::add(std::span<const uint8_t> channels, std::span<const uint8_t> picture,
               std::span<const float> features, const verify::Origin &origin) {
  channelCells.insert(channelCells.end(), channels.begin(), channels.end());
  pictureCells.insert(pictureCells.end(), picture.begin(), picture.end());
  std::ranges::copy(features, allFeatures.emplace_back().begin());
  origins.push_back(origin);
}

void Rows::add(const verify::Evidence &evidence, verify::Origin origin) {
  add(evidence.channels.as<uint8_t>(), evidence.picture.as<uint8_t>(), evidence.features, origin);
}

Result<Rows> Rows::read(const std::string &folder, const Keep &keep) {
  TILERIG_TRY(const verify::DatasetManifest manifest, verify::readManifest(folder));
  Rows rows;
  TILERIG_CHECK_OK(verify::readDataset(folder, manifest, [&](const verify::Shard &shard, size_t row) {
    if (!keep || keep(shard.origins[row]))
      rows.add(rowOf<uint8_t>(shard.channels, row, channelBytes),
               rowOf<uint8_t>(shard.picture, row, pictureBytes),
               rowOf<float>(shard.features, row, verify::numFeatures), shard.origins[row]);
    return success();
  }));
  return rows;
}

} // namespace tilerig::classifier
