#include "verify/Dumps/RecomputedDump.h"

#include "reference/Run/Floats.h"

#include <algorithm>
#include <fmt/core.h>

namespace tilerig::verify {

namespace {

// A number is clearly wrong if it differs from the expected one by this many times what rounding explains at most. A tensor is
// wrong if it has such a number; all its numbers that rounding does not explain then count.
//
// With 8 bits, what rounding explains is a guess, because the rounded weights are not known, nor are the scales: in sound dumps,
// single numbers are off by 20 times as much. There, one number in a thousand must be clearly wrong, or one be far off.
constexpr double clearly = 4, clearlyInEightBits = 16, farOff = 30;
constexpr size_t oneIn = 1000;
// Where rounding explains such a share of the largest number, nothing can be said.
constexpr double mostExplained = 0.5;

bool isFloat(DType type) { return type == DType::f32 || type == DType::f64 || reference::isHalf(type); }

Tensor asFloats(const Tensor &tensor) {
  if (tensor.dtype() != DType::f64)
    return reference::isHalf(tensor.dtype()) ? reference::widened(tensor) : tensor;
  Tensor result(DType::f32, tensor.shape());
  std::ranges::transform(tensor.as<double>(), result.mutableAs<float>().begin(),
                         [](double value) { return static_cast<float>(value); });
  return result;
}

Tensor inType(const Tensor &floats, DType type) {
  if (type != DType::f64)
    return reference::isHalf(type) ? reference::narrowed(floats, type) : floats;
  Tensor result(DType::f64, floats.shape());
  std::ranges::copy(floats.as<float>(), result.mutableAs<double>().begin());
  return result;
}

RecomputedTensor compareNumbers(const Tensor &expected, const DumpedNumbers &dumped, size_t nodes) {
  const double largest = largestOf(expected);
  const RoundingOfDump rounding(dumped, largest, nodes);
  const bool hasEightBits = dumped.precision == DumpPrecision::eightBits;
  const double times = hasEightBits ? clearlyInEightBits : clearly;
  RecomputedTensor result{.expected = expected,
                          .dumped = dumped.numbers,
                          .precision = dumped.precision,
                          .rounding = rounding,
                          .tolerance = rounding.atZero(),
                          .failure = {}};
  if (largest > 0 && times * rounding.atZero() > mostExplained * largest) {
    result.status = TensorStatus::mismatch;
    result.failure = fmt::format(
        "{} nodes lie between the dumped tensors and this one, so that rounding explains any difference",
        nodes);
    return result;
  }
  const auto right = expected.as<float>();
  const auto numbers = result.dumped.mutableAs<float>();
  size_t wrong = 0;
  for (size_t i = 0; i < right.size(); ++i) {
    const auto number = static_cast<double>(numbers[i]), wanted = static_cast<double>(right[i]);
    const bool isClear = !rounding.explains(wanted, number, times);
    wrong += isClear;
    result.isWrong |= isClear && (!hasEightBits || !rounding.explains(wanted, number, farOff));
    if (rounding.explains(wanted, number))
      numbers[i] = right[i];
  }
  result.isWrong |= wrong * oneIn > right.size();
  if (!result.isWrong) {
    result.expected = result.dumped = Tensor();
    result.rounding.reset();
  }
  return result;
}

} // namespace

Result<std::optional<DumpedNumbers>> RecomputedDump::numbersOf(const std::string &value,
                                                               const Tensor &expected) const {
  TILERIG_TRY(const std::optional<Tensor> tensor, load(value));
  if (!tensor)
    return std::optional<DumpedNumbers>();
  std::optional<Tensor> reference;
  if (!isFloat(tensor->dtype())) {
    TILERIG_TRY(reference, usual(value));
  }
  const auto scale = scales.find(value);
  TILERIG_TRY(DumpedNumbers numbers,
              numbersOfDump(*tensor, expected, reference ? &*reference : nullptr, precision,
                            scale == scales.end() ? std::nullopt : std::optional(scale->second)));
  return std::optional(std::move(numbers));
}

Status RecomputedDump::recompute(const reference::NamedTensors &inputs) {
  const auto judge = [&](const std::string &value, const Tensor &computed) -> std::optional<Tensor> {
    if (!dumped.contains(value) || inputs.contains(value) || !isFloat(computed.dtype()) ||
        computed.elementCount() == 0)
      return {};
    const Tensor expected = asFloats(computed);
    const auto numbers = numbersOf(value, expected);
    RecomputedTensor &tensor = compared[value];
    if (!numbers) {
      tensor.status = numbers.error().kind == ErrorKind::unsupported ? TensorStatus::dtypeMismatch
                                                                     : TensorStatus::shapeMismatch;
      tensor.failure = numbers.error().what;
      return {};
    }
    if (!*numbers)
      return {};
    if ((*numbers)->stored)
      steps[value] = *(*numbers)->stored;
    tensor = compareNumbers(expected, **numbers, model.nodesBehind(value, dumped));
    return inType((*numbers)->numbers, computed.dtype());
  };
  const auto judgeConstant = [&](const std::string &value, const Tensor &tensor) {
    if (model.constantValues().contains(value) && !compared.contains(value))
      (void)judge(value, tensor);
  };
  TILERIG_CHECK_OK(model.run(inputs, judge, judgeConstant));
  doubtFollowers();
  return readOperands(inputs);
}

// Where a dumped tensor could not be used, the model went on with its own; what follows is then no result of the dump's tensors. A
// follower that seems wrong is in doubt, too, and with it the scale that was found for it: so is what follows it.
void RecomputedDump::doubtFollowers() {
  for (bool isDone = false; !isDone;) {
    isDone = true;
    std::set<std::string> unused, used;
    for (const auto &[value, tensor] : compared)
      (tensor.failure.empty() ? used : unused).insert(value);
    for (const std::string &value : model.followersOf(unused, used))
      if (const auto entry = compared.find(value); entry != compared.end() && entry->second.isWrong) {
        entry->second =
            RecomputedTensor{.expected = {},
                             .dumped = {},
                             .rounding = {},
                             .status = TensorStatus::mismatch,
                             .failure = "a tensor from which it is computed cannot be compared, nor used"};
        isDone = false;
      }
  }
}

std::set<std::string> RecomputedDump::wrong() const {
  std::set<std::string> values;
  for (const auto &[value, tensor] : compared)
    if (tensor.isWrong)
      values.insert(value);
  return values;
}

// The values that the dump has and that could be used.
std::set<std::string> RecomputedDump::usable() const {
  std::set<std::string> values;
  for (const auto &[value, tensor] : compared)
    if (tensor.failure.empty())
      values.insert(value);
  return values;
}

// Takes the nodes behind the first wrong tensors. Returns the values that they read.
std::set<std::string> RecomputedDump::takeParts() {
  constexpr size_t mostParts = 4, mostNodes = 8;
  const std::set<std::string> values = usable(), off = wrong();
  std::set<std::string> read;
  for (const std::string &value : model.computed()) {
    if (!off.contains(value) || parts.size() == mostParts)
      continue;
    std::optional<PartOfModel> part = model.partBehind(value, values, mostNodes);
    if (!part)
      continue;
    std::set<std::string> fewer = values;
    for (const std::string &name : part->reads())
      fewer.erase(name);
    std::optional<PartOfModel> further = model.partBehind(value, fewer, mostNodes);
    if (!further)
      further = part;
    for (const PartOfModel *taken : {&*part, &*further})
      for (const std::string &name : taken->reads())
        read.insert(name);
    parts.emplace(value, Parts{*std::move(part), *std::move(further)});
  }
  return read;
}

// Reads the operands of the sums behind wrong tensors, in a second run.
Status RecomputedDump::readOperands(const reference::NamedTensors &inputs) {
  std::set<std::string> wanted;
  for (const std::string &value : wrong())
    if (const auto product = model.productBehind(value, dumped)) {
      products.emplace(value, *product);
      for (const std::string &name : product->values())
        wanted.insert(name);
    }
  const std::set<std::string> read = takeParts();
  if (wanted.empty() && read.empty())
    return success();
  const auto substitute = [&](const std::string &value, const Tensor &computed) -> std::optional<Tensor> {
    const auto known = compared.find(value);
    if (known == compared.end() || !known->second.failure.empty())
      return {};
    const auto numbers = numbersOf(value, asFloats(computed)); // the first run has reported errors
    return numbers && *numbers ? std::optional(inType((*numbers)->numbers, computed.dtype())) : std::nullopt;
  };
  Status status = success();
  const auto keep = [&](const std::string &value, const Tensor &tensor) {
    if (status && wanted.contains(value) && !operands.find(value))
      status = operands.add(value, isFloat(tensor.dtype()) ? asFloats(tensor) : tensor);
    if (status && read.contains(value) && !known.find(value))
      status = known.add(value, tensor);
  };
  TILERIG_CHECK_OK(model.run(inputs, substitute, keep));
  for (const auto &[name, tensor] : inputs)
    keep(name, tensor);
  return status;
}

std::optional<StoredSteps> RecomputedDump::stepsOf(const std::string &value) const {
  const auto entry = steps.find(value);
  return entry == steps.end() ? std::nullopt : std::optional(entry->second);
}

std::shared_ptr<const Product> RecomputedDump::productOf(const std::string &value) const {
  const auto product = products.find(value);
  if (product == products.end())
    return nullptr;
  return verify::productOf(product->second, operands, stepsOf(product->second.input),
                           compared.at(value).expected.shape());
}

Circumstances RecomputedDump::knownOf(const std::string &value) const {
  Circumstances known;
  known.layerKind = model.kindOf(value);
  // What rounding explains is replaced by what is expected, so that the rest is wrong; and the inputs were the target's own.
  known.isOracle = true;
  known.isolated = compared.at(value).dumped;
  known.product = productOf(value);
  return known;
}

namespace {

// A tensor with axes of size 1 repeated or in other places, where a system would do so; empty if it does not fit the shape.
std::optional<Tensor> repeatedTo(const Shape &shape, const Tensor &tensor) {
  if (tensor.shape() == shape)
    return tensor;
  if (withoutOnes(tensor.shape()) == withoutOnes(shape)) {
    const auto reshaped = tensor.reshaped(shape);
    return reshaped ? std::optional(*reshaped) : std::nullopt;
  }
  if (tensor.rank() != shape.size() || tensor.dtype() != DType::f32)
    return {};
  std::vector<size_t> strides(shape.size(), 0);
  size_t stride = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    if (tensor.shape()[axis] != shape[axis] && tensor.shape()[axis] != 1)
      return {};
    strides[axis] = tensor.shape()[axis] == 1 ? 0 : stride;
    stride *= static_cast<size_t>(tensor.shape()[axis]);
  }
  Tensor result(DType::f32, shape);
  const auto from = tensor.as<float>();
  const auto to = result.mutableAs<float>();
  for (size_t i = 0; i < to.size(); ++i) {
    size_t rest = i, at = 0;
    for (size_t axis = shape.size(); axis-- > 0; rest /= static_cast<size_t>(shape[axis]))
      at += rest % static_cast<size_t>(shape[axis]) * strides[axis];
    to[i] = from[at];
  }
  return result;
}

// The share of a tensor's wrong elements that another result has, too. Zero if its other elements are not right.
double shareReproduced(const RecomputedTensor &tensor, const Tensor &computed) {
  constexpr double leastRight = 0.999;
  constexpr size_t fewestWrong = 8; // fewer agree with one of many mistakes by chance
  const std::optional<Tensor> result = repeatedTo(tensor.expected.shape(), computed);
  if (!result || !isFloat(result->dtype()))
    return 0;
  const Tensor floats = asFloats(*result);
  const auto got = floats.as<float>(), expected = tensor.expected.as<float>(),
             dumped = tensor.dumped.as<float>();
  size_t wrong = 0, reproduced = 0, right = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    const auto number = static_cast<double>(got[i]), stored = static_cast<double>(dumped[i]);
    const bool isWrong = !tensor.rounding->explains(static_cast<double>(expected[i]), stored);
    wrong += isWrong;
    reproduced += isWrong && tensor.rounding->explains(number, stored);
    right += !isWrong && tensor.rounding->explains(number, stored, clearly);
  }
  if (wrong < fewestWrong ||
      static_cast<double>(right) < leastRight * static_cast<double>(got.size() - wrong))
    return 0;
  return static_cast<double>(reproduced) / static_cast<double>(wrong);
}

// What the unchanged part computes.
struct PartSizes {
  std::map<std::string, size_t> ranks; // number of axes of each value
  uint64_t bytes = 0, elements = 0;

  void note(const std::string &name, const Tensor &tensor) {
    ranks[name] = tensor.rank();
    bytes += tensor.sizeBytes();
    elements += tensor.elementCount();
  }
};

// Tries changes of a part of the model, until one computes the wrong tensor. Their number is limited by the size of what is computed.
class Search {
public:
  Search(const PartOfModel &part, const TensorMap &known, const RecomputedTensor &tensor,
         reference::Threads &threads)
      : part(part), known(known), tensor(tensor), threads(threads) {
    for (const std::string &name : part.reads())
      if (const Tensor *read = known.find(name))
        sizes.note(name, *read);
    for (const auto &[id, constant] : part.model.graph.initialisers)
      sizes.note(part.nameOf(id), constant);
    const auto note = [&](const std::string &name, const Tensor &value) { sizes.note(name, value); };
    if (!part.compute(known, threads, 0, note))
      left = 0;
    else
      left = mostElements / std::max<uint64_t>(sizes.elements, 1) + 1;
  }

  std::vector<size_t> ranksOf(const reference::Node &node) const {
    std::vector<size_t> ranks;
    for (const reference::ValueId id : node.inputs) {
      const auto entry = id == reference::absent ? sizes.ranks.end() : sizes.ranks.find(part.nameOf(id));
      ranks.push_back(entry == sizes.ranks.end() ? 0 : entry->second);
    }
    return ranks;
  }

  void tryAll(size_t node, const std::vector<NodeChange> &changes) {
    for (const NodeChange &change : changes) {
      if (isDone() || left == 0)
        return;
      --left;
      PartOfModel changed = part;
      change.apply(changed.model.graph, node);
      const std::optional<Tensor> result = changed.compute(known, threads, leastMemory + 4 * sizes.bytes);
      const double share = result ? shareReproduced(tensor, *result) : 0;
      if (share >= leastShare && (!best || share > best->share))
        best = ReproducedTensor{change.words, change.classes, share};
    }
  }
  // Whether hardly any wrong element is left.
  bool isDone() const { return best && best->share >= allOfIt; }

  std::optional<ReproducedTensor> best;

private:
  static constexpr double leastShare = 0.95, allOfIt = 0.9999;
  static constexpr uint64_t mostElements = 500'000'000, leastMemory = uint64_t{64} << 20;
  const PartOfModel &part;
  const TensorMap &known;
  const RecomputedTensor &tensor;
  reference::Threads &threads;
  PartSizes sizes;
  uint64_t left = 0; // number of changes that may still be tried
};

} // namespace

std::optional<ReproducedTensor> RecomputedDump::reproduced(const std::string &value) const {
  const auto entry = parts.find(value);
  if (entry == parts.end())
    return {};
  const auto &[part, further] = entry->second;
  Search search(part, known, compared.at(value), model.threads());
  const std::vector<reference::Node> &nodes = part.model.graph.nodes;
  for (size_t i = 0; i < nodes.size(); ++i)
    search.tryAll(i, changesOf(part.model.graph, nodes[i], search.ranksOf(nodes[i])));
  if (search.isDone())
    return search.best;
  Search order(further, known, compared.at(value), model.threads());
  for (size_t i = 0; i < further.model.graph.nodes.size(); ++i)
    order.tryAll(i, exchangesOf(further.model.graph, further.model.graph.nodes[i]));
  return order.best && (!search.best || order.best->share > search.best->share) ? order.best : search.best;
}

} // namespace tilerig::verify
