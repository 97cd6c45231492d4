// The smallest test harness that names what failed: TEST(name) { CHECK(...); } in any file.
#pragma once

#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace rarebit_tests {

struct Case {
    std::string name;
    std::function<void()> body;
};
inline std::vector<Case>& cases() {
    static std::vector<Case> all;
    return all;
}
inline int& failures() {
    static int count = 0;
    return count;
}
struct Registration {
    Registration(const char* name, std::function<void()> body) {
        cases().push_back({name, std::move(body)});
    }
};

}  // namespace rarebit_tests

#define TEST(name)                                                                    \
    static void test_##name();                                                        \
    static const rarebit_tests::Registration registration_##name(#name, test_##name); \
    static void test_##name()

#define CHECK(condition)                                                              \
    do {                                                                              \
        if (!(condition)) {                                                           \
            std::printf("%s:%d: CHECK(%s) failed\n", __FILE__, __LINE__, #condition); \
            ++rarebit_tests::failures();                                              \
        }                                                                             \
    } while (0)

#define CHECK_NEAR(a, b, tolerance)                                                       \
    do {                                                                                  \
        const double a_ = (a), b_ = (b);                                                  \
        if (!(std::abs(a_ - b_) <= (tolerance))) {                                        \
            std::printf("%s:%d: %s = %.9g, %s = %.9g, apart by more than %g\n", __FILE__, \
                        __LINE__, #a, a_, #b, b_, static_cast<double>(tolerance));        \
            ++rarebit_tests::failures();                                                  \
        }                                                                                 \
    } while (0)
