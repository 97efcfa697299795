// Labels of a classifier: all classes of bugs, or one class against all others.
#pragma once

#include "isa/Bugs/Bug.h"

#include <optional>

namespace tilerig::classifier {

class Labels {
public:
  Labels() = default; // labels of a classifier that tells all classes of bugs apart
  explicit Labels(BugClass alone) : only(alone) {}

  size_t count() const { return only ? 2 : numBugClasses; }
  size_t of(BugClass bugClass) const {
    return only ? size_t{bugClass == *only} : static_cast<size_t>(bugClass);
  }
  std::optional<BugClass> alone() const { return only; }

private:
  std::optional<BugClass> only;
};

} // namespace tilerig::classifier
