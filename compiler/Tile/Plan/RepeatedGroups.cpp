#include "compiler/Tile/Plan/RepeatedGroups.h"

#include "compiler/Tile/Plan/RepeatedSteps.h"

#include <numeric>

namespace tilerig::compiler {

namespace {

// A union-find structure whose elements are the repeated factors of products.
class GroupFinder {
public:
  using Group = std::optional<size_t>;

  explicit GroupFinder(const DeviceNetwork &network)
      : network(network), isRepeated(stepsIn(rangesOfWholeSteps(network), network)),
        ofTensor(network.tensors.size()), ofStep(network.steps.size()), uses(network.tensors.size()) {}

  std::vector<Group> find() {
    countFactors();
    for (size_t step = 0; step < ofStep.size(); ++step)
      if (isRepeated[step])
        follow(step);
    findRecurrentFactors();
    for (size_t step = ofStep.size(); step-- > 0;)
      if (isRepeated[step] && !ofStep[step])
        takeFromReaders(step);
    return numbered();
  }

private:
  const DeviceOp *opAt(size_t step) const { return std::get_if<DeviceOp>(&network.steps[step]); }

  void countFactors() {
    std::map<const void *, size_t> counts;
    for (const NetworkStep &step : network.steps)
      if (const auto *deviceOp = std::get_if<DeviceOp>(&step);
          deviceOp && deviceOp->kind == DeviceOpKind::matmul)
        for (size_t i = 0; i < 2; ++i)
          if (const auto &bytes = network.tensors[deviceOp->operands[i].tensor].bytes)
            ++counts[bytes.get()];
    for (const auto &[bytes, count] : counts)
      if (count > 1)
        factors.emplace(bytes, factors.size());
    parents.resize(factors.size());
    std::iota(parents.begin(), parents.end(), size_t{0});
    isRecurrent.resize(factors.size());
  }

  // The number of the repeated factor of a product.
  Group factorOf(const DeviceOp &deviceOp) const {
    if (deviceOp.kind == DeviceOpKind::matmul)
      for (size_t i = 0; i < 2; ++i)
        if (const auto factor = factors.find(network.tensors[deviceOp.operands[i].tensor].bytes.get());
            factor != factors.end())
          return factor->second;
    return {};
  }
  bool isMultiplied(const DeviceOp &deviceOp, size_t operand) const {
    return operand < 2 && factorOf(deviceOp).has_value();
  }

  size_t root(size_t factor) const {
    while (parents[factor] != factor)
      factor = parents[factor];
    return factor;
  }

  // Gives a step the group of its operands, which are one group from now on.
  void follow(size_t step) {
    const DeviceOp *deviceOp = opAt(step);
    if (!deviceOp)
      return;
    Group group = factorOf(*deviceOp);
    for (size_t i = 0; i < deviceOp->operands.size(); ++i) {
      uses[deviceOp->operands[i].tensor].push_back({step, i});
      const Group other = ofTensor[deviceOp->operands[i].tensor];
      if (isMultiplied(*deviceOp, i) || !other)
        continue;
      if (group)
        parents[root(*other)] = root(*group);
      else
        group = other;
    }
    ofStep[step] = ofTensor[deviceOp->result] = group;
  }

  // Finds the factors that multiply results of their own group.
  void findRecurrentFactors() {
    for (size_t step = 0; step < ofStep.size(); ++step)
      if (const DeviceOp *deviceOp = opAt(step); deviceOp && isRepeated[step])
        if (const Group factor = factorOf(*deviceOp))
          for (size_t i = 0; i < 2; ++i)
            if (const Group other = ofTensor[deviceOp->operands[i].tensor])
              isRecurrent[*factor] = isRecurrent[*factor] || root(*other) == root(*factor);
  }

  // Gives a step before the first product of a layer's state the group of a step that reads its result: preferably
  // of one that does not multiply it, or that does so in a recurrence.
  void takeFromReaders(size_t step) {
    const DeviceOp *deviceOp = opAt(step);
    for (const auto &[reader, operand] : deviceOp ? uses[deviceOp->result] : Uses()) {
      if (!ofStep[reader])
        continue;
      const Group factor = factorOf(*opAt(reader));
      if (!ofStep[step] || !isMultiplied(*opAt(reader), operand) || isRecurrent[*factor])
        ofStep[step] = ofStep[reader];
    }
  }

  std::vector<Group> numbered() const {
    std::map<size_t, size_t> numbers;
    std::vector<Group> groups(ofStep.size());
    for (size_t step = 0; step < groups.size(); ++step)
      if (ofStep[step])
        groups[step] = numbers.try_emplace(root(*ofStep[step]), numbers.size()).first->second;
    return groups;
  }

  using Uses = std::vector<std::pair<size_t, size_t>>; // a step, and the number of its operand

  const DeviceNetwork &network;
  const std::vector<bool> isRepeated;
  std::map<const void *, size_t> factors; // the repeated factors by their bytes
  std::vector<size_t> parents;            // of the union-find structure
  std::vector<bool> isRecurrent;
  std::vector<Group> ofTensor, ofStep; // a factor of the group
  std::vector<Uses> uses;              // the steps that read each tensor
};

} // namespace

std::vector<std::optional<size_t>> repeatedGroups(const DeviceNetwork &network) {
  return GroupFinder(network).find();
}

} // namespace tilerig::compiler
