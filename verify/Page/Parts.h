// The texts that a page is made of, as they are in the files of this folder.
#pragma once

#include <string_view>

namespace tilerig::verify {

std::string_view pageFrame();  // page.html, with marks where the others go
std::string_view pageStyle();  // page.css
std::string_view pageScript(); // page.js

} // namespace tilerig::verify
