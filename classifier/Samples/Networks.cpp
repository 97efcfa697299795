#include "classifier/Samples/Networks.h"

#include "classifier/Samples/FamilyList.h"
#include "classifier/Samples/Finish.h"
#include "models/Weights/Fill.h"

#include <algorithm>

namespace tilerig::verify {

std::string_view nameOf(FamilyGroup group) {
  constexpr std::string_view names[] = {"small", "blocks", "zoo", "files"};
  return names[static_cast<size_t>(group)];
}

std::span<const Family> families() {
  static const std::vector<Family> all = [] {
    std::vector<Family> list;
    for (const std::vector<Family> &some :
         {imageFamilies(), sequenceFamilies(), randomFamilies(), blockFamilies(), zooFamilies()})
      list.insert(list.end(), some.begin(), some.end());
    return list;
  }();
  return all;
}

const Family *findFamily(std::string_view name) {
  const auto family = std::ranges::find(families(), name, &Family::name);
  return family == families().end() ? nullptr : &*family;
}

Result<DrawnNetwork> finishNetwork(models::GraphBuilder &&g, std::string name, uint64_t seed,
                                   reference::Threads &threads) {
  models::Network network = std::move(g).finish();
  models::fillWeights(network, seed, threads);
  return DrawnNetwork{std::move(name), network.model.SerializeAsString()};
}

} // namespace tilerig::verify
