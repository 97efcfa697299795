#include "isa/Bugs/Draw.h"

#include "isa/Base/Support/Nearest.h"
#include "isa/Instructions/Instruction.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <fmt/format.h>

namespace tilerig {

namespace {

Error noValue(std::string_view name, std::string description) {
  return unsupported(fmt::format("parameter '{}'", name), std::move(description));
}

} // namespace

const BugParameter &BugDraw::parameterNamed(std::string_view name) const {
  const auto parameter = std::ranges::find(bug().parameters, name, &BugParameter::name);
  assert(parameter != bug().parameters.end());
  return *parameter;
}

// Draws a value from low .. high for which `allowed` is true. If the choice states no value, at most 256
// consecutive values are tried, beginning at a random one. This suffices, because in a wide range `allowed`
// excludes only few values.
Result<int64_t> BugDraw::oneOf(std::string_view name, int64_t low, int64_t high,
                               const std::function<bool(int64_t)> &allowed) {
  const BugParameter &parameter = parameterNamed(name);
  const auto take = [&](int64_t value) {
    values[std::string(name)] = value;
    return value;
  };
  if (const auto chosen = choice.values.find(name); chosen != choice.values.end()) {
    if (chosen->second < low || chosen->second > high || !allowed(chosen->second))
      return noValue(name, fmt::format("the value {} of this parameter is not possible in this layer",
                                       printBugValue(parameter, chosen->second)));
    return take(chosen->second);
  }
  if (!parameter.isWord()) {
    low = std::max(low, parameter.low);
    high = std::min(high, parameter.high);
  }
  if (low > high)
    return noValue(name, "no value of this parameter is possible in this layer");
  const uint64_t count = static_cast<uint64_t>(high - low) + 1, first = random.next() % count;
  for (uint64_t i = 0; i < std::min<uint64_t>(count, 256); ++i)
    if (const int64_t value = low + static_cast<int64_t>((first + i) % count); allowed(value))
      return take(value);
  return noValue(name, "no value of this parameter is possible in this layer");
}

Result<int64_t> BugDraw::number(std::string_view name, int64_t low, int64_t high) {
  return oneOf(name, low, high, [](int64_t) { return true; });
}

Result<int64_t> BugDraw::nonZero(std::string_view name, int64_t low, int64_t high) {
  return oneOf(name, low, high, [](int64_t value) { return value != 0; });
}

Result<size_t> BugDraw::index(std::string_view name, size_t count) {
  TILERIG_TRY(const int64_t value, number(name, 0, static_cast<int64_t>(count) - 1));
  return static_cast<size_t>(value);
}

Result<size_t> BugDraw::indexBut(std::string_view name, size_t count, size_t other) {
  TILERIG_TRY(const int64_t value, oneOf(name, 0, static_cast<int64_t>(count) - 1,
                                         [&](int64_t index) { return static_cast<size_t>(index) != other; }));
  return static_cast<size_t>(value);
}

Result<int64_t> BugDraw::among(std::string_view name, const std::vector<int64_t> &possible) {
  if (const auto chosen = choice.values.find(name); chosen != choice.values.end())
    return oneOf(name, chosen->second, chosen->second,
                 [&](int64_t value) { return std::ranges::find(possible, value) != possible.end(); });
  if (possible.empty())
    return noValue(name, "no value of this parameter is possible in this layer");
  return values[std::string(name)] = possible[random.next() % possible.size()];
}

Result<std::string_view> BugDraw::word(std::string_view name, const Allows &allowed) {
  const BugParameter &parameter = parameterNamed(name);
  const auto isAllowed = [&](int64_t i) { return allowed(parameter.words[static_cast<size_t>(i)]); };
  TILERIG_TRY(const int64_t value,
              oneOf(name, 0, static_cast<int64_t>(parameter.words.size()) - 1, isAllowed));
  return parameter.words[static_cast<size_t>(value)];
}

std::string nameInChoice(uint32_t layer, std::span<const std::string> names) {
  const std::string &name = names[layer];
  const bool isPlain = !name.empty() && name.front() != '#' && std::ranges::count(names, name) == 1;
  return isPlain ? name : fmt::format("#{}", layerNumber(layer));
}

uint64_t seedOfLayer(uint64_t seed, uint32_t layer) {
  return SplitMix64(seed ^ (uint64_t{layer} + 1) * 0xD1342543DE82EF95).next();
}

Result<std::vector<uint32_t>> layersToTry(const BugChoice &choice, uint64_t seed,
                                          std::span<const std::string> names) {
  std::vector<uint32_t> layers;
  if (choice.layer.starts_with('#')) {
    uint32_t number = 0;
    const char *begin = choice.layer.data() + 1, *end = choice.layer.data() + choice.layer.size();
    const auto [at, code] = std::from_chars(begin, end, number);
    if (code != std::errc() || at != end || number < layerNumber(0) || number > names.size())
      return usageError(
          choice.layer,
          fmt::format("there is no layer of this number: the layers are #1 to #{}", names.size()));
    return std::vector{number - 1};
  }
  for (uint32_t layer = 0; layer < names.size(); ++layer)
    if (choice.layer.empty() || names[layer] == choice.layer)
      layers.push_back(layer);
  if (layers.empty()) {
    const std::vector<std::string_view> known(names.begin(), names.end());
    const std::string_view near = nearestName(choice.layer, known);
    return usageError(choice.layer, "there is no layer of this name",
                      near.empty() ? "tilerig inspect shows the layers of a program"
                                   : fmt::format("did you mean '{}'?", near));
  }
  SplitMix64 random(seed);
  for (size_t i = layers.size(); i > 1; --i)
    std::swap(layers[i - 1], layers[random.next() % i]);
  return layers;
}

Result<InjectedBug> injectSomewhere(const BugChoice &choice, uint64_t seed,
                                    std::span<const std::string> names, const InjectIntoLayer &inject) {
  TILERIG_TRY(const std::vector<uint32_t> layers, layersToTry(choice, seed, names));
  Error last = unsupported("the program", "has no layers");
  for (const uint32_t layer : layers) {
    BugDraw draw(choice, seedOfLayer(seed, layer));
    const Status injected = inject(layer, draw);
    if (injected)
      return InjectedBug{.choice = {choice.bug, draw.picked(), nameInChoice(layer, names)},
                         .seed = seed,
                         .layer = layer,
                         .layerName = names[layer]};
    last = injected.error().within(fmt::format("{} in layer '{}'", choice.bug->id, names[layer]));
    if (last.kind != ErrorKind::unsupported)
      break;
  }
  if (last.kind == ErrorKind::unsupported && layers.size() > 1)
    last = unsupported(std::string(choice.bug->id),
                       "the bug cannot be injected into any layer; the last attempt: " + last.message());
  return last;
}

} // namespace tilerig
