#include "verify/Evidence/Replays/ReplayedElements.h"

#include <cmath>

namespace tilerig::verify {

ReplayedElements::ReplayedElements(const Shape &shape, const Circumstances &known)
    : product(*known.product), positions(shape, known), sums(product) {}

void ReplayedElements::take(std::span<const WrongElement> list) {
  elements.clear(), indices.clear(), rightSums.clear();
  for (size_t i = 0; i < list.size(); ++i)
    if (std::isfinite(list[i].reference) && std::isfinite(list[i].target)) {
      elements.push_back(positions.of(list[i]));
      indices.push_back(i);
      rightSums.push_back(sumOf(elements.back()));
    }
}

void ReplayedElements::readWindows() {
  windows.assign(elements.size() * product.depth(), 0);
  inside.assign(elements.size() * taps(), 0);
  for (size_t i = 0; i < elements.size(); ++i)
    sums.readWindow(elements[i], windows.data() + i * product.depth(), inside.data() + i * taps());
}

} // namespace tilerig::verify
