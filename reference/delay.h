/* delay.h: time that passes as if somebody worked. */
#ifndef REFERENCE_DELAY_H
#define REFERENCE_DELAY_H

/* Sleeps for that long, signals or not; 0 returns at once. */
void delay_s(double seconds);

/* Keeps a CPU busy until the thread has used that much CPU time, however long others keep it from a CPU; 0
 * returns at once. */
void work_s(double seconds);

#endif
