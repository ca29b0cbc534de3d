#include "CTally.h"
