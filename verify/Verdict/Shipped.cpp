#include "verify/Verdict/Shipped.h"

// The assembler embeds the classifier's file in the program; CMake sets the path and rebuilds when the file
// changes.
asm(".section .rodata\n"
    ".balign 64\n"
    ".global tilerigShippedClassifier\n"
    "tilerigShippedClassifier:\n"
    ".incbin \"" TILERIG_SHIPPED_CLASSIFIER "\"\n"
    ".global tilerigShippedClassifierEnd\n"
    "tilerigShippedClassifierEnd:\n"
    ".byte 0\n"
    ".previous\n");
extern "C" const std::byte tilerigShippedClassifier[], tilerigShippedClassifierEnd[];

namespace tilerig::verify {

Result<Classifier> shippedClassifier(reference::Threads &threads) {
  return Classifier::parse({tilerigShippedClassifier, tilerigShippedClassifierEnd}, "the built-in classifier",
                           threads);
}

Result<Classifier> openClassifier(const std::string &path, reference::Threads &threads) {
  return path.empty() ? shippedClassifier(threads) : Classifier::load(path, threads);
}

} // namespace tilerig::verify
