#include "headers.hpp"
