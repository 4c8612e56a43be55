-- A guest who chooses another language before paying returns to a page in that language. Re-runnable.
GRANT UPDATE (return_url) ON sandbox.intents TO sandbox_app;
