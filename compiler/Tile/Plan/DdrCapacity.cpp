#include "compiler/Tile/Plan/DdrCapacity.h"

#include <algorithm>
#include <fmt/core.h>

namespace tilerig::compiler {

namespace {

// An entry of the list in the error message about too little DDR: a tensor, or all constants together, and
// its size.
struct Occupant {
  std::string name;
  uint64_t bytes = 0;
};

uint64_t saturatingSum(uint64_t a, uint64_t b) { return a + b < a ? UINT64_MAX : a + b; }

// Bytes of the tensor for all elements of the batch (`images`). If the number overflows 64 bits, because the
// shape is huge, returns UINT64_MAX.
uint64_t saturatingBytes(const DeviceTensor &tensor, uint64_t images) {
  uint64_t bytes = sizeBytes(tensor.type) * images;
  for (const int64_t size : tensor.shape)
    if (__builtin_mul_overflow(bytes, static_cast<uint64_t>(size), &bytes))
      return UINT64_MAX;
  return bytes;
}

// For each tensor, whether it is in DDR in every possible plan.
std::vector<bool> isAlwaysInDdr(const DeviceNetwork &network) {
  std::vector<bool> inDdr(network.tensors.size());
  for (const std::vector<TensorIndex> *outer : {&network.inputs, &network.outputs})
    for (const TensorIndex index : *outer)
      inDdr[index] = true;
  for (const NetworkStep &step : network.steps)
    if (const auto *host = std::get_if<HostStep>(&step)) {
      for (const auto &input : host->inputs)
        if (input)
          inDdr[*input] = true;
      for (const TensorIndex output : host->outputs)
        inDdr[output] = true;
    }
  return inDdr;
}

std::string roleOf(const DeviceNetwork &network, TensorIndex index) {
  if (std::ranges::find(network.inputs, index) != network.inputs.end())
    return "input";
  return std::ranges::find(network.outputs, index) != network.outputs.end() ? "output" : "tensor";
}

std::vector<Occupant> occupantsOf(const DeviceNetwork &network, const std::vector<bool> &inDdr,
                                  uint64_t images) {
  std::vector<Occupant> occupants;
  for (TensorIndex i = 0; i < network.tensors.size(); ++i) {
    const DeviceTensor &tensor = network.tensors[i];
    if (!inDdr[i] || tensor.constant())
      continue;
    const std::string layer =
        tensor.name.empty() && tensor.layer < network.layers.size() ? network.layers[tensor.layer].name : "";
    occupants.push_back({fmt::format("{} '{}'", layer.empty() ? roleOf(network, i) : "a tensor of layer",
                                     layer.empty() ? tensor.name : layer),
                         saturatingBytes(tensor, images)});
  }
  return occupants;
}

// An upper bound of the bytes of all constants: equal constants are counted separately, although they share
// one address.
Occupant constantsOf(const DeviceNetwork &network) {
  Occupant all{"the constants"};
  for (const DeviceTensor &tensor : network.tensors)
    if (tensor.constant())
      all.bytes += tensor.bytes->size();
  return all;
}

Error tooLarge(const DeviceNetwork &network, std::vector<Occupant> occupants, const std::string &need,
               const Machine &machine) {
  constexpr size_t mostListed = 4;
  occupants.push_back(constantsOf(network));
  std::ranges::stable_sort(occupants, std::greater(), &Occupant::bytes);
  std::string list;
  for (size_t i = 0; i < std::min(mostListed, occupants.size()) && occupants[i].bytes > 0; ++i)
    list += fmt::format("{}{} ({} bytes)", i == 0 ? "" : ", ", occupants[i].name, occupants[i].bytes);
  return unsupported("the network",
                     fmt::format("needs {} bytes of DDR, but machine '{}' has {}; the largest are {}", need,
                                 machine.name, machine.ddr.sizeBytes, list),
                     "use a machine with more DDR, a smaller batch, or a precision of fewer bits");
}

} // namespace

Status checkLeastDdr(const DeviceNetwork &network, const Machine &machine) {
  const std::vector<Occupant> occupants = occupantsOf(network, isAlwaysInDdr(network), /*images=*/1);
  uint64_t bytes = 0;
  for (const Occupant &occupant : occupants)
    bytes = saturatingSum(bytes, occupant.bytes);
  if (bytes <= machine.ddr.sizeBytes)
    return success();
  const std::string need = bytes == UINT64_MAX ? "more than 2^64" : fmt::format("at least {}", bytes);
  return tooLarge(network, occupants, need, machine);
}

Status checkPlannedDdr(const DeviceNetwork &network, const TilePlan &plan, uint64_t end,
                       const Machine &machine) {
  if (end <= machine.ddr.sizeBytes)
    return success();
  std::vector<bool> inDdr;
  for (const TensorPlace &place : plan.places)
    inDdr.push_back(place.inDdr);
  return tooLarge(network, occupantsOf(network, inDdr, plan.images), fmt::format("{}", end), machine);
}

} // namespace tilerig::compiler
