// Text inside XML and SVG.
#pragma once

#include <string>

namespace tilerig::verify {

// Escapes text for XML, as the content of an element or as an attribute in double quotes. Characters that are unsafe for a
// terminal are escaped as in isa/Base/Support/Printable.h; XML forbids most of them.
std::string inXml(const std::string &text);

} // namespace tilerig::verify
