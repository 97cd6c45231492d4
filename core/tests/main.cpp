#include "check.hpp"

int main() {
    using namespace rarebit_tests;
    int failed = 0;
    for (const Case& test : cases()) {
        const int before = failures();
        test.body();
        if (failures() == before) continue;
        std::printf("FAILED %s\n", test.name.c_str());
        ++failed;
    }
    std::printf("%d passed, %d failed\n", static_cast<int>(cases().size()) - failed, failed);
    return failed == 0 ? 0 : 1;
}
