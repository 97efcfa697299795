#include "verify/Evidence/Stretch.h"

#include "verify/Metrics/Element.h"

#include <algorithm>

namespace tilerig::verify {

Stretch::Stretch(const Comparison &comparison) : elements(comparison.elements) {
  const size_t count = std::min(elements, most);
  const size_t worst = comparison.worst.empty() ? 0 : comparison.worst.front().index;
  begin = std::min(worst - std::min(worst, count / 2), elements - count);
  reference.reserve(count);
  target.reserve(count);
}

void Stretch::add(size_t index, double r, double t) {
  if (index < begin || size() == std::min(elements, most))
    return;
  if (!nonFiniteAgree(r, t))
    different.push_back(size());
  reference.push_back(static_cast<float>(r));
  target.push_back(static_cast<float>(t));
}

} // namespace tilerig::verify
