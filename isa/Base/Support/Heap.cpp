#include "isa/Base/Support/Heap.h"

#include <malloc.h>

namespace tilerig {

void returnFreedMemory() { ::malloc_trim(0); }

} // namespace tilerig
