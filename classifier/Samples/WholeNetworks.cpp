// Networks of the model zoo (`tilerig zoo`) with unchanged layers, for small images. Their weights are drawn
// at random each time.
#include "classifier/Samples/Draw.h"
#include "classifier/Samples/FamilyList.h"
#include "models/Zoo.h"

#include <fmt/core.h>

namespace tilerig::verify {

namespace {

Result<DrawnNetwork> drawFromZoo(std::string_view name, int64_t size, uint64_t seed,
                                 reference::Threads &threads) {
  Draw draw(seedOf(seed, 1));
  models::ZooOptions options;
  options.variant.imageSize = size;
  options.foldNorms = draw.chance(70);
  options.seed = seed;
  TILERIG_TRY(const onnx::ModelProto model,
              models::makeNetwork(*models::findNetwork(name), options, threads));
  return DrawnNetwork{size ? fmt::format("{}:{}", name, size) : std::string(name), model.SerializeAsString()};
}

template <const char *name, int64_t... sizes>
Result<DrawnNetwork> drawWhole(uint64_t seed, reference::Threads &threads) {
  Draw draw(seedOf(seed, 2));
  return drawFromZoo(name, draw.pick<int64_t>({sizes...}), seed, threads);
}

constexpr char resnet18[] = "resnet18", squeezenet[] = "squeezenet", mobilenet1[] = "mobilenet_v1",
               mobilenet2[] = "mobilenet_v2", inception[] = "inception_v1", vitTiny[] = "vit_tiny",
               bertTiny[] = "bert_tiny", lstmTagger[] = "lstm_tagger";

} // namespace

std::vector<Family> zooFamilies() {
  return {{"zoo-resnet18", 1, drawWhole<resnet18, 32, 48>, FamilyGroup::zoo, "resnet"},
          {"zoo-squeezenet", 1, drawWhole<squeezenet, 32, 48>, FamilyGroup::zoo, "squeezenet"},
          {"zoo-mobilenet_v1", 1, drawWhole<mobilenet1, 32>, FamilyGroup::zoo, "mobilenet"},
          {"zoo-mobilenet_v2", 1, drawWhole<mobilenet2, 32>, FamilyGroup::zoo, "mobilenet"},
          {"zoo-inception_v1", 1, drawWhole<inception, 48>, FamilyGroup::zoo, "inception"},
          {"zoo-vit_tiny", 1, drawWhole<vitTiny, 32>, FamilyGroup::zoo, "vit"},
          {"zoo-bert_tiny", 1, drawWhole<bertTiny, 0>, FamilyGroup::zoo, "bert"},
          {"zoo-lstm_tagger", 1, drawWhole<lstmTagger, 0>, FamilyGroup::zoo, "lstm"}};
}

} // namespace tilerig::verify
