REVOKE UPDATE (return_url) ON sandbox.intents FROM sandbox_app;
