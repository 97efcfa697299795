#include "classifier/Samples/Blocks.h"

#include "classifier/Samples/FamilyList.h"
#include "models/Weights/Pictures.h"
#include "models/Zoo.h"
#include "reference/Tools/Inputs.h"
#include "verify/Check/ReferenceRun.h"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <mutex>
#include <numeric>

namespace tilerig::verify {

namespace {

// Sizes of a block. Most elements: the largest layers of networks for images of 224 × 224 pixels have about as many.
constexpr int64_t fewestNodes = 2, mostNodes = 12;
constexpr uint64_t fewestElements = 256, mostElements = 4'000'000;
constexpr int mostTries = 20;
// The seed of weights and inputs of whole networks. Blocks differ by their place, so one run is enough.
constexpr uint64_t seedOfNetworks = 1;

// Whether an input is a batch of square pictures with three colours.
bool isPictures(const Tensor &input) {
  const Shape &shape = input.shape();
  return input.dtype() == DType::f32 && shape.size() == 4 && shape[1] == 3 && shape[2] == shape[3];
}

Tensor picturesLike(const Tensor &input, uint64_t seed) {
  Tensor result = input;
  const Tensor drawn = models::pictures(input.shape()[0], input.shape()[2], seed);
  std::ranges::transform(drawn.as<double>(), result.mutableAs<float>().begin(),
                         [](double value) { return static_cast<float>(value); });
  return result;
}

Result<TensorMap> inputsOf(const reference::Model &model, uint64_t seed) {
  auto generated = reference::makeInputs(model, {}, seed);
  if (!generated)
    return invalidInput(generated.error().place, generated.error().what,
                        "use a model whose inputs have fixed sizes");
  const reference::NamedTensors made = *std::move(generated);
  TensorMap inputs;
  for (const auto &[name, tensor] : made)
    TILERIG_CHECK_OK(inputs.add(name, isPictures(tensor) ? picturesLike(tensor, seed) : tensor));
  return inputs;
}

} // namespace

Result<WholeNetwork> WholeNetwork::run(std::string name, const SourceModel &source, uint64_t seed,
                                       reference::Threads &threads) {
  TILERIG_TRY(reference::Model model, source.forReference());
  TILERIG_TRY(const TensorMap inputs, inputsOf(model, seed));
  TILERIG_TRY(const ReferenceRun run,
              ReferenceRun::load(std::move(model), reference::Arithmetic::machine, threads));
  TILERIG_TRY(TensorMap values, run.run(inputs));
  TILERIG_TRY(Subnetworks nodes, Subnetworks::of(source));
  return WholeNetwork(std::move(name), std::move(nodes), std::move(values));
}

// Whether some node of the block computes floats from floats with an operator that has work to do.
bool WholeNetwork::computesFloats(const std::vector<NodeIndex> &block) const {
  constexpr std::string_view moving[] = {"Reshape", "Flatten", "Squeeze",  "Unsqueeze", "Identity", "Shape",
                                         "Cast",    "Slice",   "Constant", "Dropout",   "Gather",   "Concat"};
  return std::ranges::any_of(block, [&](NodeIndex index) {
    const Tensor *result = values.find(nodes.node(index).output(0));
    return std::ranges::find(moving, nodes.node(index).op_type()) == std::end(moving) && result &&
           (result->dtype() == DType::f32 || result->dtype() == DType::f16);
  });
}

// Whether all floats that flow into the block, and all that it computes, are finite: others cannot be calibrated.
bool WholeNetwork::isFinite(const std::vector<NodeIndex> &block) const {
  const auto isFiniteValue = [&](const std::string &value) {
    const Tensor *tensor = values.find(value);
    return !tensor || tensor->dtype() != DType::f32 ||
           std::ranges::all_of(tensor->as<float>(), [](float number) { return std::isfinite(number); });
  };
  return std::ranges::all_of(block, [&](NodeIndex index) {
    return std::ranges::all_of(nodes.node(index).input(), isFiniteValue) &&
           std::ranges::all_of(nodes.node(index).output(), isFiniteValue);
  });
}

uint64_t WholeNetwork::elementsOf(const std::vector<NodeIndex> &block) const {
  return std::accumulate(block.begin(), block.end(), uint64_t{0}, [&](uint64_t sum, NodeIndex index) {
    const Tensor *result = values.find(nodes.node(index).output(0));
    return sum + (result ? result->elementCount() : 0);
  });
}

Result<DrawnNetwork> WholeNetwork::cut(Draw draw) const {
  const auto count = static_cast<int64_t>(nodes.size());
  for (int i = 0; i < mostTries; ++i) {
    const int64_t length = std::min(draw.between(fewestNodes, mostNodes), count);
    std::vector<NodeIndex> block(static_cast<size_t>(length));
    std::iota(block.begin(), block.end(), static_cast<NodeIndex>(draw.between(0, count - length)));
    const uint64_t elements = elementsOf(block);
    if (elements < fewestElements || elements > mostElements || !computesFloats(block) || !isFinite(block))
      continue;
    const std::string title = fmt::format("{} {}-{}", name, block.front(), block.back());
    const auto model = nodes.madeOf(block, values, title);
    if (!model)
      continue;
    TILERIG_TRY(TensorMap inputs, Subnetworks::inputsOf(*model, values));
    if (inputs.empty())
      continue;
    const std::span<const std::byte> bytes = model->content();
    return DrawnNetwork{
        title, {reinterpret_cast<const char *>(bytes.data()), bytes.size()}, std::move(inputs)};
  }
  return unsupported(name, "the network has no block of useful size");
}

Family blocksOf(std::string name, std::string architecture, unsigned weight, ReadModel read) {
  struct Lazy {
    ReadModel read;
    std::mutex mutex;
    std::optional<Result<WholeNetwork>> network;
  };
  auto lazy = std::make_shared<Lazy>();
  lazy->read = std::move(read);
  const auto draw = [lazy, name](uint64_t seed, reference::Threads &threads) -> Result<DrawnNetwork> {
    {
      const std::lock_guard lock(lazy->mutex);
      if (!lazy->network) {
        const auto source = lazy->read(threads);
        lazy->network = source ? WholeNetwork::run(name, *source, seedOfNetworks, threads) : source.error();
      }
    }
    if (!*lazy->network)
      return lazy->network->error();
    return (*lazy->network)->cut(Draw(seedOf(seed, 1)));
  };
  return {std::move(name), weight, draw, FamilyGroup::blocks, std::move(architecture)};
}

std::vector<Family> blockFamilies() {
  struct Entry {
    const char *network, *architecture;
    unsigned weight;
  };
  // A row costs ten times as much as one of a small network, so these families are drawn more rarely.
  constexpr Entry entries[] = {{"resnet18", "resnet", 2},
                               {"resnet50", "resnet", 2},
                               {"mobilenet_v1", "mobilenet", 1},
                               {"mobilenet_v2", "mobilenet", 2},
                               {"squeezenet", "squeezenet", 2},
                               {"alexnet", "alexnet", 2},
                               {"inception_v1", "inception", 2},
                               {"unet", "unet", 1},
                               {"vit_tiny", "vit", 2}};
  std::vector<Family> list;
  for (const Entry &entry : entries)
    list.push_back(blocksOf(fmt::format("blocks-{}", entry.network), entry.architecture, entry.weight,
                            [entry](reference::Threads &threads) -> Result<SourceModel> {
                              models::ZooOptions options;
                              options.seed = seedOfNetworks;
                              TILERIG_TRY(
                                  const onnx::ModelProto model,
                                  models::makeNetwork(*models::findNetwork(entry.network), options, threads));
                              return SourceModel::of(entry.network, model.SerializeAsString());
                            }));
  return list;
}

} // namespace tilerig::verify
